// Shows the OpenAPI document. Requests made from this page go to the host that it was opened on, whatever the document
// names as the public address, because the page may connect nowhere else.
(async () => {
  const answer = await fetch("/api/openapi.json");
  const spec = await answer.json();
  spec.servers = [{ url: location.origin }];
  SwaggerUIBundle({
    spec,
    domNode: document.getElementById("reference"),
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: false,
    validatorUrl: null,
    // A session's cookie needs its token beside it; a key needs nothing more.
    requestInterceptor: async (request) => {
      if (!["GET", "HEAD"].includes(request.method.toUpperCase()) && !request.headers["x-service-api-key"]) {
        const session = await fetch("/api/session").then((reply) => (reply.ok ? reply.json() : null));
        if (session) request.headers["x-csrf-token"] = session.csrfToken;
      }
      return request;
    },
  });
})();
