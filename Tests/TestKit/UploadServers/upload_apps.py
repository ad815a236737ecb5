"""Upload servers of others that are libraries: an application each, that keeps its files in $UPLOAD_FOLDER and, where
it wants to know, is reached at $UPLOAD_URL."""

import os
from pathlib import Path

FOLDER = Path(os.environ["UPLOAD_FOLDER"])


def tuswsgi():
    from tuswsgi import TusMiddleware

    def nothing(environ, start_response):
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    return TusMiddleware(nothing, upload_path="/files", tmp_dir=str(FOLDER), max_size=2**33, expire=3600)


def aiohttp_tus(arguments):
    from aiohttp import web
    from aiohttp_tus import setup_tus

    application = web.Application(client_max_size=2**31)
    setup_tus(application, upload_path=FOLDER, upload_url="/files", allow_overwrite_files=True)
    return application


def fastapi_tusd():
    from fastapi import FastAPI
    from fastapi_tusd import TusRouter

    application = FastAPI()
    location = os.environ["UPLOAD_URL"] + "/files"
    application.include_router(TusRouter(store_dir=str(FOLDER), location=location), prefix="/files")
    return application


def tuspyserver():
    from fastapi import FastAPI
    from tuspyserver import create_tus_router

    application = FastAPI()
    application.include_router(create_tus_router(prefix="files", files_dir=str(FOLDER)))
    return application
