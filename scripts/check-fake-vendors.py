#!/usr/bin/env python3
"""Checks that the answers of fakeai have the form of the vendors: their own SDKs parse them, and raise their own errors.

Run by scripts/check.sh with the Python of a virtual environment that has the SDKs, and the path of the program fakeai.
Talks to loopback only. Prints one line per finding; the exit code is 1 when there is any.
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request

import anthropic
import dataforseo_client.models as dataforseo
import openai
import perplexity
from google.genai import types as google
from openai.types import Model
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from perplexity.types import ResponseCreateResponse, StreamChunk

QUESTION = "What is the best tool for prerendering SPAs?"
PLACE = {"type": "approximate", "country": "DE", "region": "Berlin", "city": "Berlin", "timezone": "Europe/Berlin"}
SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["summary", "competitors"],
    "properties": {"summary": {"type": "string"}, "competitors": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}},
}
findings = []
checked = 0


def finding(name, problem):
    findings.append(f"{name}: {' '.join(str(problem).split())[:600]}")


def check(name, action):
    """Runs a check; whatever it raises is a finding."""
    global checked
    checked += 1
    try:
        return action()
    except Exception as error:  # the SDKs raise errors of many kinds
        finding(name, f"{type(error).__name__}: {error}")
        return None


def send(url, body=None, headers=None, fault=None):
    """Sends a request. Returns the status and the JSON of the response."""
    headers = {"content-type": "application/json", **(headers or {})}
    if fault:
        headers["x-fake-scenario"] = json.dumps({"fault": fault})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def parsed(name, model, url, body=None, headers=None, fault=None, wanted=lambda parsed: True):
    """Checks that a response is parsed by an SDK's type, and that the result is what is wanted."""
    def action():
        status, answer = send(url, body, headers, fault)
        assert status == 200, f"status {status}: {answer}"
        result = model.model_validate(answer)
        assert wanted(result), f"is not what is wanted: {answer}"
    check(f"{name} ({fault or 'good'})", action)


def raises(name, error, call):
    """Checks that an SDK raises its own kind of error."""
    def action():
        try:
            call()
        except error:
            return
        raise AssertionError(f"did not raise {error.__name__}")
    check(name, action)


def check_openai(base):
    client = openai.OpenAI(base_url=base, api_key="key", max_retries=0)
    request = {
        "model": "gpt-6-luna", "input": QUESTION, "tools": [{"type": "web_search", "search_context_size": "low", "user_location": PLACE}],
        "tool_choice": "required", "max_tool_calls": 2, "max_output_tokens": 8000, "reasoning": {"effort": "low"},
        "include": ["web_search_call.action.sources"], "store": False, "metadata": {"run": "01JD"},
    }
    headers = {"authorization": "Bearer key"}
    for fault in (None, "incomplete", "incomplete_empty", "failed", "refusal", "empty_answer", "prompt_injection"):
        parsed("openai response", Response, f"{base}/responses", request, headers, fault)

    def cited(response):
        parts = [part for item in response.output if item.type == "message" for part in item.content]
        searches = [item for item in response.output if item.type == "web_search_call"]
        spans = [(part.text, note) for part in parts for note in part.annotations]
        # A citation covers its own mark, counted in characters.
        return searches and spans and all(note.url in text[note.start_index:note.end_index] for text, note in spans)
    parsed("openai citations", Response, f"{base}/responses", request, headers, None, cited)
    parsed("openai citations in Japanese", Response, f"{base}/responses", {**request, "input": "最適なツールは?"}, headers, None, cited)
    parsed("openai task", Response, f"{base}/responses", {"model": "gpt-6-luna", "input": QUESTION, "text": {"format": {"type": "json_schema", "name": "result", "strict": True, "schema": SCHEMA}}},
           headers, None, lambda response: json.loads(response.output_text)["summary"])
    parsed("openai model", Model, f"{base}/models/gpt-5.4-mini", None, headers, None, lambda model: model.shutdown_date == "2027-06-30")
    check("openai client", lambda: client.responses.create(**request).output_text[0])
    check("openai models", lambda: [model.id for model in client.models.list()][0])
    for fault, error in (("invalid_key", openai.AuthenticationError), ("model_not_found", openai.NotFoundError), ("rate_limit", openai.RateLimitError),
                         ("quota", openai.RateLimitError), ("server_error", openai.InternalServerError), ({"refuses": "tool_choice"}, openai.BadRequestError)):
        raises(f"openai error {fault}", error, lambda: client.responses.create(**request, extra_headers={"x-fake-scenario": json.dumps({"fault": fault})}))


def check_chat(base):
    request = {"model": "some-search-model", "messages": [{"role": "user", "content": QUESTION}],
               "web_search_options": {"search_context_size": "low", "user_location": {"type": "approximate", "approximate": {"country": "DE"}}}}
    for fault in (None, "incomplete", "incomplete_empty", "refusal", "content_null", "empty_answer", "thinks"):
        parsed("chat completion", ChatCompletion, f"{base}/chat/completions", request, None, fault)
    parsed("chat citations", ChatCompletion, f"{base}/chat/completions", request, None, None, lambda answer: answer.choices[0].message.annotations[0].url_citation.url)
    task = {**request, "response_format": {"type": "json_schema", "json_schema": {"name": "result", "schema": SCHEMA}}}
    parsed("chat task", ChatCompletion, f"{base}/chat/completions", task, None, None, lambda answer: json.loads(answer.choices[0].message.content)["summary"])


def check_perplexity(base):
    request = {"model": "perplexity/sonar", "input": QUESTION, "max_output_tokens": 8000, "max_steps": 2, "store": False,
               "tools": [{"type": "web_search", "search_context_size": "low", "user_location": {"country": "DE", "city": "Berlin", "latitude": 52.52, "longitude": 13.405}}],
               "tool_choice": "required", "language_preference": "de"}
    headers = {"authorization": "Bearer key"}
    for fault in (None, "failed", "no_citations", "empty_answer"):
        parsed("perplexity response", ResponseCreateResponse, f"{base}/v1/agent", request, headers, fault)
    parsed("perplexity search", ResponseCreateResponse, f"{base}/v1/responses", request, headers, None,
           lambda answer: answer.output[0].type == "search_results" and answer.usage.cost.total_cost > 0 and "[1]" in answer.output_text)
    for fault in ("former_form", "content_chunks"):
        parsed("perplexity former form", StreamChunk, f"{base}/v1/agent", request, headers, fault, lambda answer: answer.citations)
    client = perplexity.Perplexity(base_url=base, api_key="key", max_retries=0)
    fields = {key: value for key, value in request.items() if key != "tool_choice"}
    check("perplexity client", lambda: client.responses.create(**fields).output_text[0])
    for fault, error in (("plain_unauthorized", perplexity.AuthenticationError), ("rate_limit", perplexity.RateLimitError), ("validation_list", perplexity.UnprocessableEntityError),
                         ("quota", perplexity.AuthenticationError), ("server_error", perplexity.InternalServerError)):
        raises(f"perplexity error {fault}", error, lambda: client.responses.create(**fields, extra_headers={"x-fake-scenario": json.dumps({"fault": fault})}))


def check_google(base):
    headers = {"x-goog-api-key": "key"}
    request = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}], "tools": [{"google_search": {}}],
               "toolConfig": {"retrievalConfig": {"latLng": {"latitude": 52.52, "longitude": 13.405}, "languageCode": "de"}},
               "generationConfig": {"maxOutputTokens": 8192, "thinkingConfig": {"thinkingLevel": "low"}}}
    url = f"{base}/models/gemini-3.8-flash:generateContent"
    for fault in (None, "blocked", "safety", "malformed", "incomplete", "incomplete_empty", "no_grounding", "no_supports", "empty_answer"):
        parsed("google answer", google.GenerateContentResponse, url, request, headers, fault)

    def grounded(answer):
        candidate = answer.candidates[0]
        text = "".join(part.text for part in candidate.content.parts if not part.thought).encode()
        segments = [support.segment for support in candidate.grounding_metadata.grounding_supports]
        # Offsets are counted in bytes.
        return segments and all(text[segment.start_index or 0:segment.end_index].decode() == segment.text for segment in segments)
    parsed("google supports", google.GenerateContentResponse, url, request, headers, None, grounded)
    parsed("google supports in Japanese", google.GenerateContentResponse, url, {**request, "contents": [{"role": "user", "parts": [{"text": "最適なツールは?"}]}]}, headers, None, grounded)
    task = {"contents": request["contents"], "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}}
    parsed("google task", google.GenerateContentResponse, url, task, headers, None, lambda answer: json.loads(answer.text)["summary"])
    status, model = send(f"{base}/models/gemini-3.8-flash", headers=headers)
    check("google model", lambda: google.Model._from_response(response={"name": model["name"], "display_name": model["displayName"]}, kwargs={}).name)
    for fault, code in (("retry_info", 429), ("daily_quota", 429), ("bad_key_argument", 400), ("invalid_argument", 400)):
        status, answer = send(url, request, headers, fault)
        check(f"google error {fault}", lambda: [1 / (status == code), answer["error"]["status"], 1 / (answer["error"]["code"] == code)])


def check_anthropic(base):
    headers = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
    request = {"model": "claude-haiku-5-5", "max_tokens": 8192, "messages": [{"role": "user", "content": QUESTION}],
               "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 2, "user_location": PLACE}],
               "tool_choice": {"type": "tool", "name": "web_search"}, "output_config": {"effort": "low"}}
    for fault in (None, "tool_error", "max_uses_exceeded", "pause_turn", "refusal", "thinking_first", "incomplete", "incomplete_empty", "empty_answer"):
        parsed("anthropic message", anthropic.types.Message, f"{base}/messages", request, headers, fault)
    parsed("anthropic citations", anthropic.types.Message, f"{base}/messages", request, headers, None,
           lambda message: any(block.citations for block in message.content if block.type == "text"))
    task = {**request, "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}
    del task["tools"], task["tool_choice"]
    parsed("anthropic task", anthropic.types.Message, f"{base}/messages", task, headers, None, lambda message: json.loads(message.content[0].text)["summary"])
    parsed("anthropic model", anthropic.types.ModelInfo, f"{base}/models/claude-haiku-5-5", None, headers, None, lambda model: model.capabilities.server_tools.web_search.supported)
    # The SDK puts the version into its own paths.
    client = anthropic.Anthropic(base_url=base.removesuffix("/v1"), api_key="key", max_retries=0)
    check("anthropic client", lambda: client.messages.create(**request).content[0])
    for fault, error in (("invalid_key", anthropic.AuthenticationError), ("model_not_found", anthropic.NotFoundError), ("rate_limit", anthropic.RateLimitError),
                         ("overloaded", anthropic.InternalServerError), ({"refuses": "tool_choice"}, anthropic.BadRequestError)):
        raises(f"anthropic error {fault}", error, lambda: client.messages.create(**request, extra_headers={"x-fake-scenario": json.dumps({"fault": fault})}))


def check_dataforseo(base):
    headers = {"authorization": "Basic bG9naW46cGFzc3dvcmQ="}
    url = f"{base}/serp/google/organic/live/advanced"
    request = [{"keyword": QUESTION, "location_code": 2276, "language_code": "de", "device": "desktop", "depth": 10, "load_async_ai_overview": True, "tag": "01JD"}]

    def live(fault, wanted):
        def action():
            status, answer = send(url, request, headers, fault)
            assert status == 200, f"status {status}"
            parsed = dataforseo.SerpGoogleOrganicLiveAdvancedResponseInfo.from_dict(answer)
            assert wanted(parsed), f"is not what is wanted: {answer}"
        check(f"dataforseo page ({fault or 'good'})", action)

    def overview(page):
        items = [item for item in page.tasks[0].result[0].items if item.type == "ai_overview"]
        return items and items[0].markdown and items[0].references[0].url and items[0].items[0].text
    live("duplicate_references", overview)
    live("absent", lambda page: all(item.type != "ai_overview" for item in page.tasks[0].result[0].items) and page.cost == 0.002)
    live("rate_code", lambda page: page.tasks[0].status_code == 40202)
    live("search_engine_error", lambda page: page.tasks[0].status_code == 40101 and page.tasks[0].result is None)
    ai_mode = [{"keyword": QUESTION, "location_code": 2276, "language_code": "de", "device": "desktop", "tag": "01JD"}]
    dataforseo.SerpGoogleAiModeLiveAdvancedRequestInfo.from_dict(ai_mode[0])

    def mode(fault, wanted):
        def action():
            status, answer = send(f"{base}/serp/google/ai_mode/live/advanced", ai_mode, headers, fault)
            assert status == 200, f"status {status}"
            parsed = dataforseo.SerpGoogleAiModeLiveAdvancedResponseInfo.from_dict(answer)
            assert wanted(parsed), f"is not what is wanted: {answer}"
        check(f"dataforseo AI Mode ({fault or 'good'})", action)

    def answered(page):
        item = page.tasks[0].result[0].items[0]
        tables = [element for element in item.items if element.type == "ai_overview_table_element"]
        return item.markdown and item.references[0].url and item.items[0].text and tables[0].table.table_content and page.cost == 0.004
    mode(None, answered)
    mode("absent", lambda page: not page.tasks[0].result[0].items)
    mode("search_engine_error", lambda page: page.tasks[0].status_code == 40101 and page.tasks[0].result is None)
    check("dataforseo account", lambda: 1 / dataforseo.AppendixUserDataResponseInfo.from_dict(send(f"{base}/appendix/user_data", headers=headers)[1]).tasks[0].result[0].money.balance)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-fake-vendors.py PATH_OF_FAKEAI")
    program = subprocess.Popen([sys.argv[1], "--listen", "127.0.0.1:0", "--day", "20782"], stdout=subprocess.PIPE, text=True)
    try:
        addresses = {}
        while len(addresses) < 7:
            line = program.stdout.readline()
            if not line:
                sys.exit("fakeai ended before it listened")
            vendor, _, address = line.strip().partition(": ")
            addresses[vendor] = address
        for vendor, run in (("Openai", check_openai), ("Chat", check_chat), ("Perplexity", check_perplexity), ("Gemini", check_google),
                            ("Anthropic", check_anthropic), ("Dataforseo", check_dataforseo)):
            check(vendor, lambda: run(addresses[vendor]))
    finally:
        program.terminate()
        program.wait()
    for line in findings:
        print(line, file=sys.stderr)
    print(f"{checked - len(findings)} of {checked} checks of the vendors' form passed")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
