/* SPDX-License-Identifier: ISC */
/*
 * what.h - the functions of Perun that a query can compute, from profile/query.py and convert.py.
 */
#ifndef AFPIPE_PERUN_QUERY_WHAT_H
#define AFPIPE_PERUN_QUERY_WHAT_H

enum query_what {
	QUERY_RESOURCES, /* all_resources_of: [SNAPSHOT, RESOURCE] */
	QUERY_ITEMS, /* all_items_of: [[KEY, VALUE], ...] for each resource */
	QUERY_FIELDS, /* all_resource_fields_of */
	QUERY_NUMERIC, /* all_numerical_resource_fields_of, sorted */
	QUERY_FRAME, /* resources_to_pandas_dataframe: not JSON, but a CSV table */
	QUERY_KEYS, /* all_key_values_of KEY: one array per resource */
	QUERY_VALUES, /* unique_resource_values_of KEY */
	QUERY_FLAME, /* to_flame_graph_format: not JSON, but lines of frames and the amount */
	QUERY_MODELS, /* all_models_of: [NUMBER, MODEL] */
	QUERY_MODEL_VALUES, /* unique_model_values_of KEY */
	QUERY_PLOT, /* plot_data_from_coefficients_of: [NUMBER, MODEL with points] */
	QUERY_HEAP, /* to_heap_map_format: one line of JSON */
	QUERY_HEAT, /* to_heat_map_format: one line of JSON */
};

#endif
