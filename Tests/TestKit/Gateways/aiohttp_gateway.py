"""A floor gateway on aiohttp, which takes messages of up to 4 MiB unless told otherwise."""

import asyncio

from aiohttp import WSMsgType, web

import floor

options = floor.parse_arguments()
gateway = floor.Gateway(options)


class Connection:
    def __init__(self, socket, request):
        self.socket = socket
        self.transport = request.transport

    async def send(self, text):
        await self.socket.send_str(text)

    async def close(self, code, reason):
        await self.socket.close(code=code, message=reason.encode())

    def drop(self):
        self.transport.abort()


async def converse(request):
    if gateway.refuses(request.query):
        return web.Response(status=403, text="access denied\n")
    limit = {"max_msg_size": options.max_message} if options.max_message else {}
    socket = web.WebSocketResponse(**limit)
    await socket.prepare(request)
    session = floor.Session(gateway, Connection(socket, request), request.query)
    try:
        async for message in socket:
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY) and not await session.take(message.data):
                break
    except ConnectionError as end:
        floor.tell(ended=str(end))
    floor.tell(closed=socket.close_code)
    return socket


async def main():
    application = web.Application()
    application.router.add_get("/ws", converse)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=floor.tls_context(options)).start()
    floor.tell(port=runner.addresses[0][1])
    await asyncio.Event().wait()


asyncio.run(main())
