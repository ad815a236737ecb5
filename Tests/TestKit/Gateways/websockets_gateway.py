"""A floor gateway on the Python library `websockets`."""

import asyncio
import http
import urllib.parse

import websockets.asyncio.server
import websockets.exceptions

import floor

options = floor.parse_arguments()
gateway = floor.Gateway(options)


class Connection:
    def __init__(self, socket):
        self.socket = socket

    async def send(self, text):
        await self.socket.send(text)

    async def close(self, code, reason):
        await self.socket.close(code, reason)

    def drop(self):
        self.socket.transport.abort()


def query_of(request):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.path).query))


def check(socket, request):
    if urllib.parse.urlsplit(request.path).path != "/ws":
        return socket.respond(http.HTTPStatus.NOT_FOUND, "no such path\n")
    if gateway.refuses(query_of(request)):
        return socket.respond(http.HTTPStatus.FORBIDDEN, "access denied\n")
    return None


async def converse(socket):
    session = floor.Session(gateway, Connection(socket), query_of(socket.request))
    try:
        async for message in socket:
            if not await session.take(message):
                return
    except websockets.exceptions.ConnectionClosed as end:
        floor.tell(ended=str(end))


async def main():
    # The library's own limit, 1 MiB, is below one part of 3 MiB as text.
    limit = options.max_message or 16 << 20
    async with websockets.asyncio.server.serve(
        converse, "127.0.0.1", 0, process_request=check, max_size=limit, ssl=floor.tls_context(options)
    ) as server:
        floor.tell(port=server.sockets[0].getsockname()[1])
        await server.serve_forever()


asyncio.run(main())
