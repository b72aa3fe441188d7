"""Serves Phoenix on 127.0.0.1: python serve.py DIRECTORY PORT GRPC_PORT. It ends with its parent: when standard input ends."""
import os
import signal
import sys
import threading

directory, port, grpc_port = sys.argv[1:]
os.environ |= {
    "PHOENIX_WORKING_DIR": directory, "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": port, "PHOENIX_GRPC_PORT": grpc_port,
    "PHOENIX_TELEMETRY_ENABLED": "false", "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
}

import grpc.aio  # noqa: E402 # after the environment
from phoenix.server.main import main  # noqa: E402

listen = grpc.aio._server.Server.add_insecure_port
grpc.aio._server.Server.add_insecure_port = lambda self, at: listen(self, at.replace("[::]", "127.0.0.1"))  # it has no setting


def end_with_parent():
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)


threading.Thread(target=end_with_parent, daemon=True).start()
sys.argv = ["phoenix", "serve"]
main()
