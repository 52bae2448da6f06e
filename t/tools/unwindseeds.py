#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""unwindseeds.py FOLDER - makes the corpus of t/fuzz/unwind.c in FOLDER.

In the working folder there must be three builds of t/tools/selfsample.c for x86_64: ss_dyn (-O2
-no-pie), ss_static (-O2 -static) and ss_dbg (-O2 -g -no-pie -fno-asynchronous-unwind-tables
-fno-unwind-tables).  Entries of their unwind information become inputs, and some are made by hand:
expressions that loop, rules that lead back to the same frame, every operation.
"""
import os
import re
import struct
import subprocess
import sys
def sec(f,name):
    out=subprocess.run(['readelf','-SW',f],capture_output=True,text=True).stdout
    m=re.search(r'\] '+re.escape(name)+r'\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)',out)
    a,o,s=(int(x,16) for x in m.groups()); return a,open(f,'rb').read()[o:o+s]
def sym(f,n):
    out=subprocess.run(['nm',f],capture_output=True,text=True).stdout
    return int(re.search(r'^([0-9a-f]+) \w '+n+'$',out,re.M)[1],16)
def seed(name,arch,flags,pc,addr,stack,sect):
    open(name,'wb').write(bytes([arch,flags])+b'\0'*6+struct.pack('<QQH',pc,addr,len(stack))+stack+sect)
def extract(f,pc):
    a,d=sec(f,'.eh_frame'); p=0
    while p+4<=len(d):
        l,=struct.unpack_from('<I',d,p)
        if l==0: break
        cid,=struct.unpack_from('<I',d,p+4)
        if cid:
            cie=p+4-cid
            beg,=struct.unpack_from('<i',d,p+8); ln,=struct.unpack_from('<I',d,p+12)
            start=a+p+8+beg
            if start<=pc<start+ln:
                cl,=struct.unpack_from('<I',d,cie); c=d[cie:cie+4+cl]; fde=d[p:p+4+l]
                fde=fde[:4]+struct.pack('<I',len(c)+4)+fde[8:]
                return a+p-len(c), c+fde
        p+=4+l
    raise SystemExit('none '+hex(pc))
import os
out=sys.argv[1]; os.makedirs(out,exist_ok=True)
def stack(words): return b''.join(struct.pack('<Q',w) for w in words)
dyn,st,dbg='ss_dyn','ss_static','ss_dbg'
def words(pc,n=24): return stack([0x7ff000+8*i+16 if i%3==0 else pc+1 if i%3==1 else i for i in range(n)])
for f,n in ((dyn,'deep'),(dyn,'dynamic_frame'),(dyn,'main'),(st,'__restore_rt'),(st,'qsort') ,(st,'_dl_runtime_resolve_xsavec')):
    try: pc=sym(f,n)
    except TypeError: print('no',n); continue
    for k in ((0,1,5) if n!='__restore_rt' else (0,)):
        addr,s=extract(f,pc+k); seed(f'{out}/{n}-{k}',0,0,pc+k,addr,words(pc+k),s)
a,_=sec(dyn,'.plt'); addr,s=extract(dyn,a+0x1b); seed(f'{out}/plt',0,0,a+0x1b,addr,words(a+0x1b),s)
pc=sym(dbg,'deep'); a,s=sec(dbg,'.debug_frame'); seed(f'{out}/debug-frame',0,1,pc+8,a,words(pc+8),s[:700])
# hand-made: an expression that loops, a rule that leads back, remembered states, big-endian 32 bits
def uleb(v):
    o=b''
    while True:
        b=v&127; v>>=7
        o+=bytes([b|(128 if v else 0)])
        if not v: return o
def entry(ident,body,e='<'):
    while (len(body)+4)%8: body+=b'\0'
    return struct.pack(e+'I',len(body)+4)+struct.pack(e+'I',ident)+body
def made(name,program,arch=0,flags=0,ra=16,pc=0x401000,e='<'):
    w='I' if flags&4 else 'Q'
    cie=entry(0,b'\x01zR\0\x01\x78'+bytes([ra])+uleb(1)+b'\x00'+b'\x0c\x07\x08'+bytes([0x80|ra])+b'\x01',e)
    fde=entry(len(cie)+4,struct.pack(e+w,0x401000)+struct.pack(e+w,0x1000)+b'\0'+program,e)
    wd=words(pc) if e=='<' else b''.join(struct.pack('>I',0x401010) for _ in range(32))
    seed(f'{out}/{name}',arch,flags,pc,0x500000,wd,cie+fde)
blk=lambda b: uleb(len(b))+b
made('loop',b'\x0f'+blk(b'\x30\x2f\xfc\xff'))
made('same',b'\x0c\x07\x00\x10\x10'+blk(b'\x77\x00\x06'))
made('states',b'\x0a\x0e\x10\x41\x0b\x0a\x0e\x20\x42\x0b\x2e\x08\x07\x03\x08\x06\x09\x05\x04\x14\x03\x02\x15\x0c\x7f')
made('operations',b'\x0f'+blk(b'\x08\x05\x09\xfb\x0a\x01\x02\x0b\xff\xff\x0c\x01\0\0\0\x0d\xff\xff\xff\xff\x10\x85\x01\x11\x7f\x12\x13\x14\x15\x01\x16\x17\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20\x21\x22\x23\x08\x24\x25\x26\x27\x29\x2a\x2b\x2c\x2d\x2e\x96\x77\x10\x94\x04\x92\x07\x08\x9f'))
made('aarch64',b'\x2d\x0e\x20\x9d\x04\x9e\x03',arch=2,ra=30)
made('big32',b'\x0e\x10',arch=1,flags=6,ra=8,e='>')
