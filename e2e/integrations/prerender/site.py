"""A Django app with a middleware for Prerender, unchanged but for address and token.

Environment: MIDDLEWARE (prerender-django or django-seo-js), PORT, FOLDER, SERVICE_URL, API_KEY.
"""

import os
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import FileResponse
from django.urls import re_path

FOLDER = Path(os.environ["FOLDER"])
SERVICE_URL = os.environ["SERVICE_URL"]
API_KEY = os.environ["API_KEY"]
MIDDLEWARE = {
    "prerender-django": "prerender_django.middleware.PrerenderMiddleware",
    "django-seo-js": "django_seo_js.middleware.UserAgentMiddleware",
}

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a test",
    MIDDLEWARE=[MIDDLEWARE[os.environ["MIDDLEWARE"]]],
    PRERENDER_SERVICE_URL=SERVICE_URL,
    PRERENDER_TOKEN=API_KEY,
    SEO_JS_BACKEND=f"{__name__}.Backend",
    SEO_JS_PRERENDER_TOKEN=API_KEY,
    SEO_JS_SEND_USER_AGENT=True,
)


def page(request, path):
    file = FOLDER / path
    return FileResponse(open(file if file.is_file() else FOLDER / "index.html", "rb"))


urlpatterns = [re_path("^(.*)$", page)]

if os.environ["MIDDLEWARE"] == "django-seo-js":
    from django_seo_js.backends import PrerenderIO

    class Backend(PrerenderIO):
        BASE_URL = f"{SERVICE_URL}/"
        RECACHE_URL = f"{SERVICE_URL}/recache"


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


APPLICATION = get_wsgi_application()


def application(environ, start_response):
    """Answers HEAD without a body, as servers in production do and wsgiref does not."""
    response = APPLICATION(environ, start_response)
    if environ["REQUEST_METHOD"] != "HEAD":
        return response
    response.close()
    return []


if __name__ == "__main__":
    make_server("127.0.0.1", int(os.environ["PORT"]), application, Server).serve_forever()
