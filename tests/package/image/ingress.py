# SPDX-License-Identifier: Apache-2.0
"""nginx as an ingress controller sets it up: connections to the copies are kept, the client is told in
X-Forwarded headers, and nothing is tried again elsewhere. It learns of copies by being reloaded, so
that clients that keep connections would lose some to nginx itself; those of the test make new ones."""

import os
import subprocess

CONFIG = """
daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream signpost {{
        {servers}
        keepalive 64;
    }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://signpost;
            proxy_http_version 1.1;
            proxy_next_upstream off;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Port $server_port;
            proxy_set_header X-Forwarded-Proto {scheme};
            proxy_set_header X-Forwarded-Scheme {scheme};
        }}
    }}
}}
"""


class Ingress:
    """`endpoints` are ports on 127.0.0.1."""

    def __init__(self, folder, port, endpoints, scheme="http"):
        self.folder, self.port, self.scheme = folder, port, scheme
        self.config = folder / "nginx.conf"
        folder.mkdir()
        self.endpoints = []
        self.write(endpoints)
        self.process = None

    def write(self, endpoints):
        self.endpoints = list(endpoints)
        servers = "\n        ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in endpoints)
        text = CONFIG.format(folder=self.folder, port=self.port, servers=servers, scheme=self.scheme)
        made = self.config.with_suffix(".new")
        made.write_text(text, encoding="utf-8")
        os.replace(made, self.config)

    def nginx(self, *arguments):
        return ["nginx", "-c", str(self.config), "-e", str(self.folder / "error.log"), *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.nginx(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)

    def send_to(self, endpoints):
        self.write(endpoints)
        subprocess.run(self.nginx("-s", "reload"), check=True, timeout=30)
