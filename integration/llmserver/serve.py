"""Serves a model as OpenAI would, on 127.0.0.1, with llama.cpp's server out of requirements.txt.

Says "listening" once the model is loaded: from then on requests are answered, before they are refused with status 503.
It ends on SIGTERM, and with its parent: when standard input ends.
"""
import argparse
import os
import signal
import sys
import threading

import xllamacpp

a = argparse.ArgumentParser()
a.add_argument("model", help="a GGUF file")
a.add_argument("--port", type=int, required=True)
a.add_argument("--context", type=int, default=1024, help="tokens of a prompt and its reply, for each of the slots")
a.add_argument("--slots", type=int, default=4, help="replies that are made at a time")
a.add_argument("--threads", type=int, default=1)
a.add_argument("--embed", action="store_true", help="embeddings instead of replies")
a.add_argument("--rerank", action="store_true", help="scores of passages instead of replies")
a.add_argument("--template", help="file with a chat template in Jinja, for a model that has none")
a.add_argument("--stop", help="ends a reply")
o = a.parse_args()

p = xllamacpp.CommonParams()
p.model.path = o.model
p.model_alias = {"tiny"}
p.hostnames = ["127.0.0.1"]
p.port = o.port
p.n_ctx = o.context * o.slots
p.n_parallel = o.slots
p.cpuparams.n_threads = o.threads
p.warmup = False
p.use_jinja = True
if o.template:
    with open(o.template, encoding="utf-8") as f:
        p.chat_template = f.read()
if o.stop:
    p.antiprompt = [o.stop]
if o.embed:
    p.embedding = True
    p.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
if o.rerank:
    p.embedding = True
    p.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK


def end_with_parent():
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})  # threads of the server inherit it
server = xllamacpp.Server(p)
print("listening", flush=True)
threading.Thread(target=end_with_parent, daemon=True).start()
signal.sigwait({signal.SIGTERM, signal.SIGINT})
os._exit(0)
