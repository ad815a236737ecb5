"""nginx on a free port of one address, serving one folder, with everything it writes in a folder of its own."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  keepalive_requests 100000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {address}:{port};
    {tls}
    root {root};
  }}
}}
"""


def certified(folder):
    """A certificate for this machine, its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


class Server:
    """Used as `with Server(root) as server:`; `inside` is a command such as `ip netns exec NAME` to start it in."""

    def __init__(self, root, address="127.0.0.1", port=None, tls=False, inside=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hermes-bench-nginx-"))
        self.authority, self.key = certified(self.folder) if tls else (None, None)
        self.address, self.port = address, port or free_port()
        self.origin = f"{'https' if tls else 'http'}://{address}:{self.port}"
        self.inside, self.tls, self.root = list(inside), tls, root

    def __enter__(self):
        file = self.folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(
            folder=self.folder, address=self.address, root=self.root,
            tls=f"ssl_certificate {self.authority}; ssl_certificate_key {self.key};" if self.tls else "",
            port=f"{self.port}{' ssl' if self.tls else ''}"))
        words = ["nginx", "-p", self.folder, "-e", self.folder / "error.log", "-c", file]
        path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        self.process = subprocess.Popen(
            list(map(str, self.inside + words)), env=os.environ | {"PATH": path}, stderr=subprocess.DEVNULL)
        self.await_answer()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def await_answer(self):
        """Asks until it answers; the question is put from where the server is."""
        question = f"import socket; socket.create_connection(('{self.address}', {self.port}), 1)"
        for _ in range(100):
            asked = subprocess.run([*self.inside, "/usr/bin/python3", "-c", question], stderr=subprocess.DEVNULL)
            if asked.returncode == 0:
                return
            time.sleep(0.05)
        sys.exit(f"bench: nginx did not start: {(self.folder / 'error.log').read_text()}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
