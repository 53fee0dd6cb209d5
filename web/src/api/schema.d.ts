// Types of the API. Written by scripts/schema.mjs from docs/openapi.json; never edited by hand. Input: e5977fb5d6ce260218c1568ad671bf69b391b49a23aa4dbbd8b0d183da58e653

export interface paths {
    "/api/ai-mentions/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the costs of a domain's monitoring, and what is left of its budgets. */
        get: operations["get_costs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports AI mentions.
         * @description Everything of one kind in the window. Exported prompts can be imported again. In CSV a cell that a spreadsheet would
         *     compute (it begins with `=`, `+`, `-` or `@`) begins with an apostrophe.
         */
        get: operations["export_mentions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/prompt-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics of prompts.
         * @description Every prompt of the domain with its numbers in the window, and all of them together. Only analysed answers count; a prompt
         *     without one has zeros and the difficulty −1. The formulas are in the documentation, "AI mentions: numbers".
         */
        get: operations["list_prompt_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the prompts of a domain, the oldest first. */
        get: operations["list_prompts"];
        put?: never;
        /**
         * Creates, changes or deletes a prompt.
         * @description A new active prompt is asked at once. So is one whose text or `personaLocation` changes, and an assistant that is added to
         *     one. At activation, those assistants are asked that were not asked today. Pausing, deleting and removing an assistant
         *     take back what is queued; what has begun ends and counts. Assistants that plan or settings do not allow any more are left
         *     out. Deleting what is not there is fine.
         */
        post: operations["change_prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/prompts/{promptId}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Asks a prompt now.
         * @description An assistant with a run of the prompt that is queued or under way gets no other one. What plan or settings do not allow is
         *     left out, unless it is named.
         */
        post: operations["run_prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/prompts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates prompts from a list, in its order, each as by creating it alone.
         * @description A text that the domain has already is skipped: the same list can be sent again.
         */
        post: operations["import_prompts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the assistants: which of them can be asked about a domain, whether they work, and what a question costs. */
        get: operations["list_providers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches of assistants.
         * @description Texts that assistants searched the web for, in lower case, with the number of answers for which they did and of those that
         *     name the own brand. Providers that do not tell their searches have none.
         */
        get: operations["list_queries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the visibility reports of a domain.
         * @description A day has one report, of the seven days up to it. Today's is built within a minute after the last open run of these
         *     days has ended, at most every ten minutes; yesterday's for the last time after midnight, UTC.
         */
        get: operations["list_reports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns one visibility report.
         * @description Names, questions and quotes in it are other people's words: Markdown and HTML have them as plain text.
         */
        get: operations["get_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists runs of a domain's prompts, the newest first; those of deleted prompts too. */
        get: operations["list_prompt_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a run with its question and everything that was found in its answer. */
        get: operations["get_prompt_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sources of answers.
         * @description Sites, or pages, that answers cite, and those that were only found for them (`citations` 0). Own pages come with the last
         *     visit of AI crawlers, their issues in the latest audit, and the people whom assistants sent to them.
         */
        get: operations["list_sources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggestions of prompts.
         * @description From searches that assistants ran, pages of the latest audit, pages that AI crawlers and people from assistants visit, and
         *     the brand profile, by turns. The same data gives the same suggestions; no model is asked.
         */
        get: operations["list_suggestions"];
        put?: never;
        /**
         * Suggests prompts from search terms.
         * @description Answers with the given terms that are no prompt of the domain yet, each once and in order, with a guess of its intent.
         *     Addresses and terms without words are left out. Nothing is stored.
         */
        post: operations["suggest_of_terms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai-mentions/trend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Numbers by day.
         * @description An entry for every day of the window, at most ten years. Without `tag`, `intent` and `branded` all prompts count.
         */
        get: operations["list_trend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports crawler visits by page, most visits first. */
        get: operations["get_bots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/bots/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports crawler visits by day. Days without visits are there too; the last one is today. */
        get: operations["get_daily_bots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/bots/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports crawler visits in short. */
        get: operations["get_bots_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/crawlers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the crawlers that came, impostors apart. */
        get: operations["list_crawlers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the pages that crawlers got a status of 400 and above for. */
        get: operations["list_crawl_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports visits: one row per day, page, crawler, way and status.
         * @description The columns are `day`, `path`, `crawler`, `provider`, `verified` (`yes`, `no`: an impostor, or `unknown`), `servedBy`,
         *     `status` and `visits`. The file comes in pieces, day by day; one that breaks off is not complete.
         */
        get: operations["export_visits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watches the visits of crawlers as they come.
         * @description Events `visit` with a visit each, and `missed` with a number when visits came faster than they could be sent. Only what the
         *     process that answers this request records itself: behind several, each shows its own. An account may have ten streams at a
         *     process (429 beyond). A stream ends when the service does, and seconds after the key, the session or the domain is gone.
         */
        get: operations["watch_visits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/page-insights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports what crawlers and the latest audit say about one page.
         * @description The query of `url` does not matter: visits are counted by path.
         */
        get: operations["get_page_insights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the pages that crawlers visited in a window, or the stored ones that no crawler asked for. */
        get: operations["list_crawled_pages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/referrals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the pages that people came to from assistants (ChatGPT, Perplexity and the like).
         * @description Counted at the edge, by the `Referer` that their browsers send or, without one, by `utm_source`, when the page was answered with a status of 200 to 299.
         */
        get: operations["list_referrals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/robots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists visits of crawlers to pages that robots.txt, as it is now, forbids them. Queries are not counted and not looked at. */
        get: operations["list_robots_violations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports crawler visits of each of the last days, told apart by kind, provider, answer or crawler. */
        get: operations["get_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/cache/invalidate-page-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes one page.
         * @description Queues a render at high priority and answers at once. The stored page is served until the new one replaces it,
         *     and up to 5 minutes longer from the memory of each place. Look at `ok`: when nothing is queued the status is 200 too.
         *     At most 120 requests per minute and key, all refreshes together.
         *
         *     The same for a session.
         */
        post: operations["dashboard_invalidate_page_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/cache/invalidate-paths-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes several pages.
         * @description Like one page. Of the first twenty paths those that the site's server does not have are left out. `prewarmed` is smaller
         *     than the list when the month, or the 100,000 renders that an account has in the queue, leave room for fewer.
         *
         *     The same for a session.
         */
        post: operations["dashboard_invalidate_paths_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/cache/invalidate-site-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes every page of the sitemap.
         * @description The work runs in the background under a `batchGroupId`; each page counts as a render. The sitemap is read before
         *     the answer, for at most 5 seconds; one that takes longer is read in the background.
         *
         *     The same for a session.
         */
        post: operations["dashboard_invalidate_site_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/cache/invalidate-updated-paths": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes the pages that changed.
         * @description Those whose `lastmod` in the sitemap is later than their snapshot, those that were never stored, and those without
         *     a `lastmod`. Otherwise like the whole site.
         *
         *     The same for a session.
         */
        post: operations["dashboard_invalidate_updated_paths"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/dismissed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hides an entry of attention for 30 days, or until there is more of it. */
        post: operations["dismiss_entry"];
        /** Shows a dismissed entry of attention again. */
        delete: operations["restore_entry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the account's domains.
         * @description The same for a session.
         */
        get: operations["dashboard_list_domains"];
        put?: never;
        /**
         * Adds a domain.
         * @description It is pending until its records are found, or its own server asks the render API. Create the records at the DNS
         *     provider, then call the check. A TXT record is among them when another account has a claim on the same site (the
         *     registrable name and all below it), or had one of its names connected lately: it proves that the name is yours. A
         *     pending domain of another account blocks nobody.
         *
         *     The same for a session.
         */
        post: operations["dashboard_add_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a domain with its settings.
         * @description The same for a session.
         */
        get: operations["dashboard_get_domain"];
        put?: never;
        post?: never;
        /**
         * Removes a domain.
         * @description Its name is free at once, and requests for it are answered no more within two seconds. What was stored for it
         *     (snapshots, queued work, visits) is deleted in the background. A key that is restricted to it stays, and works
         *     again when the account adds the name again.
         *
         *     The same for a session.
         */
        delete: operations["dashboard_remove_domain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/domains/{domain}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks whether a domain is connected.
         * @description Asks DNS whether the domain's records point here, and the domain itself, as a crawler would, whether the answer
         *     comes from here. A pending domain becomes `connected` when the records match, else `via api` when the answer came
         *     from here. A check never takes a status away. At most 6 per minute and key, together with sitemap updates that
         *     fetch.
         *
         *     The same for a session.
         */
        post: operations["dashboard_check_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/domains/{domain}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes a domain's settings.
         * @description Fields that are left out stay as they are; lists are replaced as a whole. Every field is saved or left out by itself:
         *     look at `invalidFields`. Errors of status 400 and 403 save nothing. A new `originHost` is asked for its front page, for
         *     at most 5 seconds; one that does not answer is named in `invalidFields` and saved all the same. What was answered holds
         *     for requests within two seconds.
         *
         *     The same for a session.
         */
        patch: operations["dashboard_update_settings"];
        trace?: never;
    };
    "/api/dashboard/domains/{domain}/sitemap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Sets, clears or reads a domain's sitemap.
         * @description A new address is read before it is stored, with every file of an index, packed ones included, for at most 30
         *     seconds; pages of other hosts are not counted. Without a stored address and without a new one it is looked for: where
         *     `robots.txt` says, else at `/sitemap.xml`. When it cannot be read, nothing changes. Calls that read count towards 6 per
         *     minute and key, together with connection checks; the others towards 60.
         *
         *     The same for a session.
         */
        patch: operations["dashboard_update_sitemap"];
        trace?: never;
    };
    "/api/dashboard/domains/{domain}/test-patterns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lists the stored pages that patterns match. An account tries rules and patterns twice at once; a third call is 429. */
        post: operations["test_patterns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/domains/{domain}/test-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells what the edge would do with a request, with stored or given settings. Changes nothing, fetches nothing.
         * @description At most as many rules as the plan allows settings to have. An account tries rules and patterns twice at once; a third call
         *     is 429.
         */
        post: operations["test_rules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/first-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the state of the installation and of the account, for the first minutes with them. */
        get: operations["get_first_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns one site at a glance. Parts that cannot be read are null and named in `unavailable`. */
        get: operations["get_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the account's password.
         * @description Ends every session of the account and answers with the cookie of a new one, whose CSRF token is a new one too. A wrong
         *     current password counts like a failed sign-in.
         */
        put: operations["change_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/preview-image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the picture that a page's social tags name.
         * @description Only pictures that a page of the domain's last audit names are fetched: PNG, JPEG, WebP, GIF or AVIF by their first
         *     bytes, at most 5 MiB, within 5 s.
         */
        get: operations["get_preview_image"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the account's sites, those that need attention first. */
        get: operations["list_sites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the newest view of a page. */
        get: operations["find_newest_view"];
        put?: never;
        /**
         * Takes a view of a page.
         * @description Shows the page as a person sees it, as a crawler gets it, and as it is without Glasshouse. The work is done in the background,
         *     behind every render that a client waits for. Counts as one render, and as another one when nothing is stored and pages are
         *     rendered on demand: that page is then stored as usual. One that fails does not count. It is no visit. At most 10 a minute and 2
         *     at once per account. Kept for 24 hours, 20 per domain.
         */
        post: operations["take_view"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a view. */
        get: operations["get_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views/{id}/crawler.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the whole HTML that a crawler gets, as a text file. */
        get: operations["get_crawler_html"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views/{id}/crawler.webp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the picture of the page as a crawler gets it. */
        get: operations["get_crawler_picture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views/{id}/person.webp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the picture of the page as a person sees it. */
        get: operations["get_person_picture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/views/{id}/raw.webp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the picture of the page without Glasshouse. */
        get: operations["get_raw_picture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the account's domains. */
        get: operations["list_domains"];
        put?: never;
        /**
         * Adds a domain.
         * @description It is pending until its records are found, or its own server asks the render API. Create the records at the DNS
         *     provider, then call the check. A TXT record is among them when another account has a claim on the same site (the
         *     registrable name and all below it), or had one of its names connected lately: it proves that the name is yours. A
         *     pending domain of another account blocks nobody.
         */
        post: operations["add_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a domain with its settings. */
        get: operations["get_domain"];
        put?: never;
        post?: never;
        /**
         * Removes a domain.
         * @description Its name is free at once, and requests for it are answered no more within two seconds. What was stored for it
         *     (snapshots, queued work, visits) is deleted in the background. A key that is restricted to it stays, and works
         *     again when the account adds the name again.
         */
        delete: operations["remove_domain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}/auditing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says how a domain is audited. Values of headers and passwords are never shown. */
        get: operations["get_auditing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes how a domain is audited. Holds for audits that begin from now on. */
        patch: operations["update_auditing"];
        trace?: never;
    };
    "/api/domains/{domain}/brand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the brand of a domain and its competitors. Until somebody saves a profile, it follows from the domain and the name
         *     of its site.
         */
        get: operations["get_brand"];
        /**
         * Replaces the brand of a domain and its competitors.
         * @description Kept answers are analysed again in the background, without asking any model: `recomputing` says how far that is.
         */
        put: operations["replace_brand"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks whether a domain is connected.
         * @description Asks DNS whether the domain's records point here, and the domain itself, as a crawler would, whether the answer
         *     comes from here. A pending domain becomes `connected` when the records match, else `via api` when the answer came
         *     from here. A check never takes a status away. At most 6 per minute and key, together with sitemap updates that
         *     fetch.
         */
        post: operations["check_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}/monitoring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns how a domain is monitored. */
        get: operations["get_monitoring"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes how a domain is monitored. The webhook's secret is in the answer that made it, and never again. */
        patch: operations["update_monitoring"];
        trace?: never;
    };
    "/api/domains/{domain}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says which DNS records a domain needs now.
         * @description The same that adding it answered, unless another account has claimed the site since: then the domain is contested, and
         *     there is a TXT record among them that proves whose it is. Beside each record stands what the domain's last check found,
         *     whoever asked for it; reading asks no DNS.
         */
        get: operations["get_required_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}/rendering": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says how a domain's pages are rendered. */
        get: operations["get_rendering"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes how a domain's pages are rendered.
         * @description Holds for requests within two seconds. The most specific matching rule's interval wins over the domain's.
         */
        patch: operations["update_rendering"];
        trace?: never;
    };
    "/api/domains/{domain}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes a domain's settings.
         * @description Fields that are left out stay as they are; lists are replaced as a whole. Every field is saved or left out by itself:
         *     look at `invalidFields`. Errors of status 400 and 403 save nothing. A new `originHost` is asked for its front page, for
         *     at most 5 seconds; one that does not answer is named in `invalidFields` and saved all the same. What was answered holds
         *     for requests within two seconds.
         */
        patch: operations["update_settings"];
        trace?: never;
    };
    "/api/domains/{domain}/sitemap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Sets, clears or reads a domain's sitemap.
         * @description A new address is read before it is stored, with every file of an index, packed ones included, for at most 30
         *     seconds; pages of other hosts are not counted. Without a stored address and without a new one it is looked for: where
         *     `robots.txt` says, else at `/sitemap.xml`. When it cannot be read, nothing changes. Calls that read count towards 6 per
         *     minute and key, together with connection checks; the others towards 60.
         */
        patch: operations["update_sitemap"];
        trace?: never;
    };
    "/api/domains/{domain}/stats-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says whether a domain's crawl statistics are shared. */
        get: operations["get_stats_token"];
        put?: never;
        /**
         * Makes the public token of a domain's crawl statistics.
         * @description It opens the four reports of this domain, for reading, on every plan. The token before it ends.
         */
        post: operations["create_stats_token"];
        /** Stops sharing a domain's crawl statistics. Doing it again changes nothing. */
        delete: operations["delete_stats_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/{domain}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says whether a domain's crawlers get pages and its people the app.
         * @description Asks the page over the public address as a crawler and as a person, twice in turns, and beside it an asset, HEAD, an address
         *     that does not exist, one with a new query, robots.txt and another page: about fifteen requests, in a minute at most. Each check says
         *     what was seen and, where something is wrong, how to repair it on the platform that the site's headers tell. At most 6 per minute; a site
         *     that no check has proven is asked at most 60 times an hour, by all verifications together.
         */
        post: operations["verify_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the account's API keys. */
        get: operations["list_keys"];
        put?: never;
        /**
         * Makes an API key.
         * @description An account has at most 100 that work (`limits.keys_per_account`).
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes an API key.
         * @description It stops working within two seconds and stays listed. Revoking it again changes nothing.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the newest refreshes of a domain's pages. */
        get: operations["list_batches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/batches/{batchGroupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says how far a refresh has come.
         * @description `total` grows while a sitemap is still being read. `completedAt` is set when every page is done or failed.
         */
        get: operations["get_batch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/batches/{batchGroupId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops a refresh.
         * @description Pages that nobody has begun are not rendered and count as failed; those that are being rendered are finished.
         */
        post: operations["cancel_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/cache/invalidate-page-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes one page.
         * @description Queues a render at high priority and answers at once. The stored page is served until the new one replaces it,
         *     and up to 5 minutes longer from the memory of each place. Look at `ok`: when nothing is queued the status is 200 too.
         *     At most 120 requests per minute and key, all refreshes together.
         */
        post: operations["invalidate_page_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/cache/invalidate-paths-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes several pages.
         * @description Like one page. Of the first twenty paths those that the site's server does not have are left out. `prewarmed` is smaller
         *     than the list when the month, or the 100,000 renders that an account has in the queue, leave room for fewer.
         */
        post: operations["invalidate_paths_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/cache/invalidate-site-cache": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes every page of the sitemap.
         * @description The work runs in the background under a `batchGroupId`; each page counts as a render. The sitemap is read before
         *     the answer, for at most 5 seconds; one that takes longer is read in the background.
         */
        post: operations["invalidate_site_cache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/cache/invalidate-updated-paths": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refreshes the pages that changed.
         * @description Those whose `lastmod` in the sitemap is later than their snapshot, those that were never stored, and those without
         *     a `lastmod`. Otherwise like the whole site.
         */
        post: operations["invalidate_updated_paths"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Renders a page.
         * @description Answers with the page as a crawler should see it: from memory (`edge-hit`), from the stored snapshot (`hit`) or
         *     rendered now (`miss`). Forward the visitor's `User-Agent`, `Accept`, `Accept-Language`, `Sec-Fetch-*` and
         *     `Upgrade-Insecure-Requests`: people, assets and ignored paths get 304 with the address of the origin in `Location`.
         *     `If-None-Match` is ignored: 304 here never means "not modified".
         */
        get: operations["render_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prerender/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what is stored of a domain. */
        get: operations["list_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/issues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists every issue that an audit can find, with why it matters and what to do. */
        get: operations["list_issues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the newest audits of the account's domains. */
        get: operations["list_runs"];
        put?: never;
        /**
         * Starts an audit.
         * @description One at a time per domain. Its pages count against the plan as they are audited.
         */
        post: operations["start_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads an audit with its pages.
         * @description Pages of archived runs come from cold storage, in the same form.
         */
        get: operations["get_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops an audit. It keeps what it has and ends within seconds, with `closeReason: cancelled`. */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compares two audits of a domain: findings that are new, fixed and still there, pages added, removed and not visited, and
         *     what changed.
         */
        get: operations["compare_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows an audit: server-sent events `progress`, whenever it changed, and `end`, which is the last.
         * @description An account has at most ten streams in a process; the next is 429. A stream ends within half a minute when its caller may not
         *     read the run any more.
         */
        get: operations["follow_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports a run. */
        get: operations["export_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the link graph of an audit: the pages with the most links to them, and the links between these. */
        get: operations["get_link_graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/issues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists how many pages carried each issue in an audit and in up to nine before it. */
        get: operations["list_run_issues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists links of the site, by the page they stand on. */
        get: operations["list_run_links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/seo-spider/runs/{runId}/pages/{pageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads one page of an audit, with the evidence of its findings and the links around it. */
        get: operations["get_run_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says who is signed in. */
        get: operations["get_session"];
        put?: never;
        /**
         * Signs in to the dashboard.
         * @description Answers with a session cookie. Failed attempts are limited to 10 per minute for an address and e-mail together and
         *     30 per minute for an address; over the limit the right password waits too.
         */
        post: operations["create_session"];
        /** Signs out. */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says how much of the plan is used this month. */
        get: operations["get_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says that the process is up. */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says whether requests can be served: database, object store and browser, each for itself.
         * @description The result is at most 2 seconds old.
         */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says whether this process can serve visitors, for load balancers.
         * @description Database, object store and browser play no part: every process shares them, and without them a process still serves what it
         *     holds. A process that was asked to end answers 503 from then on, and takes connections for `server.drain_s`.
         */
        get: operations["get_traffic_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Things that an account has. */
        AccountContents: {
            /**
             * Format: int64
             * @description Domains that lead to the service or ask it themselves.
             */
            connected: number;
            /** Format: int64 */
            domains: number;
            /**
             * Format: int64
             * @description Prompts for assistants.
             */
            prompts: number;
            /**
             * Format: int64
             * @description Audits with results.
             */
            runs: number;
            /** Format: int64 */
            snapshots: number;
        };
        /**
         * @description Detector of an action.
         * @enum {string}
         */
        ActionKind: "provider_gap" | "dead_prompt" | "single_provider" | "cited_not_named" | "named_not_cited" | "negative_tone" | "rank_slip" | "lost" | "gained" | "competitor_rising" | "source_opportunity" | "not_indexed_page" | "uninformative_prompt" | "measurement";
        /**
         * @description Urgency of an action.
         * @enum {string}
         */
        ActionSeverity: "high" | "medium" | "low";
        /** @description A domain that was added. */
        AddedDomain: {
            /**
             * @description The name, in A-label form.
             * @example shop.example
             */
            domain: string;
            id: components["schemas"]["DomainId"];
            /** @description Whether the name is below a registrable one. */
            isSubdomain: boolean;
            /** @description To be created at the DNS provider; then the check endpoint is called. */
            records: components["schemas"]["DnsRecord"][];
            /** @description `pending`. */
            status: components["schemas"]["DomainStatus"];
        };
        /** @description A domain to add. */
        AddRequest: {
            /**
             * @description A registrable name such as shop.com, or a subdomain of one.
             * @example shop.example
             */
            domain: string;
            /**
             * @description Host that answers for people, when it is another one than the domain. A whole address is cut down to its host.
             * @example shop.lovable.app
             */
            originHost?: string | null;
        };
        /** @description An API key as listings show it. */
        ApiKeyInfo: {
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /**
             * @description The one domain it is restricted to; null: the whole account.
             * @example shop.example
             */
            domain?: string | null;
            /** @description Identifies the key; not the key itself. */
            id: components["schemas"]["KeyId"];
            /**
             * @description Last four characters, to tell keys apart.
             * @example q7Zd
             */
            last4: string;
            lastUsedAt?: components["schemas"]["Timestamp"] | null;
            /**
             * @description What its owner calls it.
             * @example Build server
             */
            name: string;
            revokedAt?: components["schemas"]["Timestamp"] | null;
        };
        /** @description A thing that needs attention. */
        AttentionEntry: {
            /**
             * Format: double
             * @description Value of now.
             * @example 31.5
             */
            after: number | null;
            /**
             * Format: double
             * @description Value of the time before: percent of visits or answers; the limit of an allowance.
             * @example 52
             */
            before: number | null;
            /**
             * Format: int64
             * @description Number of the things meant: visits, findings, crawlers, snapshots, uses, answers.
             * @example 4
             */
            count: number;
            /**
             * @description Path in the dashboard where something can be done.
             * @example /d/shop.example/rendering?state=failing
             */
            href: string;
            /**
             * @description Name of the entry, by which it is dismissed.
             * @example snapshots_failing
             */
            id: string;
            kind: components["schemas"]["AttentionKind"];
            severity: components["schemas"]["AttentionSeverity"];
            since: components["schemas"]["Timestamp"] | null;
            /**
             * @description Run, crawlers or limit that the entry is about; null: the site as a whole.
             * @example renders_per_month
             */
            subject: string | null;
        };
        /**
         * @description Kind of a thing that needs attention, the most urgent first.
         * @enum {string}
         */
        AttentionKind: "not_connected" | "limit_reached" | "crawl_errors" | "new_audit_errors" | "ai_crawlers_blocked" | "snapshots_failing" | "visibility_dropped" | "snapshots_stale" | "limit_near";
        /**
         * @description Weight of a thing that needs attention.
         * @enum {string}
         */
        AttentionSeverity: "error" | "warning" | "notice";
        /** @description An issue of a page. */
        AuditedIssue: {
            /** @description Id in the catalogue. */
            issueId: string;
            /** @description `error`, `warning` or `notice`. */
            severity: string;
        };
        /** @description The page in an audit. All but `found` is empty when it was not audited. */
        AuditedPage: {
            /** @description Whether the audit has the page. */
            found: boolean;
            /**
             * Format: double
             * @description 0 to 100.
             */
            healthScore: number | null;
            /** @description Whether search engines may list it. */
            indexable: boolean | null;
            /**
             * Format: int32
             * @description How many issues it has.
             */
            issueCount: number;
            issues: components["schemas"]["AuditedIssue"][];
            /**
             * Format: double
             * @description 0 to 100.
             */
            previewScore: number | null;
            /** Format: int32 */
            statusCode: number | null;
        };
        /** @description Changes to how a domain is audited. Fields that are left out stay as they are. */
        AuditingChange: {
            /** @default null */
            basicAuth: components["schemas"]["BasicAuth"] | null;
            /**
             * @description Checks that do not run.
             * @default null
             */
            disabledChecks: string[] | null;
            /**
             * @description Query parameters that make no other page.
             * @default null
             */
            dropParameters: string[] | null;
            /**
             * @description Checks that run although they do not by default.
             * @default null
             */
            enabledChecks: string[] | null;
            /**
             * @description Paths that are not audited.
             * @default null
             */
            exclude: string[] | null;
            /**
             * @description Replaces the pieces that are wanted of each page.
             * @default null
             */
            extractions: components["schemas"]["ExtractionRule"][] | null;
            /** @default null */
            frequency: components["schemas"]["Frequency"] | null;
            /**
             * @description Replaces the headers that are sent to the site.
             * @default null
             */
            headers: components["schemas"]["SentHeader"][] | null;
            /**
             * @description Findings that are left out of lists and scores.
             * @default null
             */
            ignored: components["schemas"]["Ignored"][] | null;
            /**
             * @description Paths that are audited, with their queries; empty: all. `*` is any run of characters.
             * @default null
             */
            include: string[] | null;
            /**
             * @description Pages are rendered where that is needed.
             * @default null
             */
            javascript: boolean | null;
            /**
             * Format: int32
             * @description Clicks from the start; null: any.
             * @default null
             */
            maxDepth: number | null;
            /**
             * Format: int64
             * @description HTML pages after which a run ends; null: what the plan allows.
             * @default null
             */
            maxPages: number | null;
            /** @default null */
            mode: components["schemas"]["Mode"] | null;
            /**
             * Format: double
             * @description Most requests per second, 0.01 to 100; null: what the site bears.
             * @default null
             */
            requestsPerSecond: number | null;
            /**
             * @description `obey`: the site's robots.txt; `ignore`: none; else a text that stands in for it. Only `obey` until a check has proven
             *     the domain.
             * @default null
             * @example User-agent: *
             *     Disallow: /cart
             */
            robotsTxt: string | null;
            /**
             * @description Replaces the pages that are to be found.
             * @default null
             */
            searches: components["schemas"]["SearchRule"][] | null;
            /**
             * @description Replaces where checks draw their lines, by the names of the catalogue; what is not named is as usual.
             * @default null
             */
            thresholds: {
                [key: string]: number;
            } | null;
            /**
             * @description What the audit calls itself; its first word is what robots.txt calls it. Null: its own name.
             * @default null
             */
            userAgent: string | null;
            /**
             * @description Told when a run ends; null: nobody.
             * @default null
             */
            webhookUrl: string | null;
        };
        /** @description How a domain is audited, as the API shows it. */
        AuditingView: {
            basicAuth?: components["schemas"]["UserShown"] | null;
            /** @description Checks that do not run. */
            disabledChecks: string[];
            /** @description Query parameters that make no other page. */
            dropParameters: string[];
            /** @description Checks that run although they do not by default. */
            enabledChecks: string[];
            /** @description Paths that are not audited. */
            exclude: string[];
            /** @description Pieces that are wanted of each page. */
            extractions: components["schemas"]["ExtractionRule"][];
            /** @description How often by itself. */
            frequency: components["schemas"]["Frequency"];
            /** @description Names of the headers that are sent to the site. Their values are never shown. */
            headers: components["schemas"]["HeaderShown"][];
            /** @description Findings that are left out of lists and scores. */
            ignored: components["schemas"]["Ignored"][];
            /** @description Paths that are audited; empty: all. */
            include: string[];
            /** @description Pages are rendered where that is needed. */
            javascript: boolean;
            /**
             * Format: int32
             * @description Clicks from the start; null: any.
             */
            maxDepth?: number | null;
            /**
             * Format: int64
             * @description HTML pages after which a run ends; null: what the plan allows.
             */
            maxPages?: number | null;
            /** @description How pages are found when it starts by itself. */
            mode: components["schemas"]["Mode"];
            /**
             * Format: double
             * @description Most requests per second; null: what the site bears.
             */
            requestsPerSecond?: number | null;
            /**
             * @description `obey`: the site's robots.txt; `ignore`: none; else a text that stands in for it.
             * @example obey
             */
            robotsTxt: string;
            /** @description Pages that are to be found. */
            searches: components["schemas"]["SearchRule"][];
            /** @description Where checks draw their lines, by name. */
            thresholds: {
                [key: string]: number;
            };
            /** @description What the audit calls itself; null: its own name. */
            userAgent?: string | null;
            /** @description What the `x-service-signature` of webhooks is made with. In the answer that made it, and never again. */
            webhookSecret?: string | null;
            /** @description Told when a run ends. */
            webhookUrl?: string | null;
        };
        /** @description An audit with results. */
        AuditRun: {
            /**
             * Format: int64
             * @description Epoch milliseconds; null while it runs.
             */
            completedAt: number | null;
            id: string;
            /**
             * Format: int64
             * @description Epoch milliseconds.
             */
            startedAt: number;
            /** @description How it ended. */
            status: string;
        };
        /** @description User and password for the site's own server. */
        BasicAuth: {
            /** @description The password. Never shown again. */
            password: string;
            /**
             * @description The user.
             * @example staging
             */
            username: string;
        };
        /** @description What became of a wish to stop a refresh. */
        BatchCancelled: {
            /**
             * @description `false`: the refresh was over already.
             * @example true
             */
            ok: boolean;
        };
        /** @description Refreshes of a domain. */
        BatchList: {
            /** @description The newest 20, the newest first. */
            batches: components["schemas"]["BatchSummary"][];
        };
        /** @description How far a batch has come. */
        BatchProgress: {
            completedAt?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Pages that were rendered.
             * @example 120
             */
            done: number;
            /**
             * @description Why the sitemap could not be read, how many pages were left out because the account may have no more renders in the
             *     queue, or that the refresh was cancelled.
             * @example null
             */
            error?: string | null;
            /**
             * Format: int64
             * @description Pages that could not be rendered, or were cancelled.
             * @example 1
             */
            failed: number;
            /** @description Some of the pages that failed, and why. */
            failures: components["schemas"]["PageFailure"][];
            /**
             * Format: int64
             * @description Pages that are being rendered now.
             * @example 4
             */
            running: number;
            startedAt?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Pages in all; 0 while the sitemap is still being read.
             * @example 500
             */
            total: number;
        };
        /** @description A refresh in a list. */
        BatchSummary: {
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            batchGroupId: string;
            completedAt: components["schemas"]["Timestamp"] | null;
            /** @description When it was asked for. */
            createdAt: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Pages that were rendered.
             * @example 120
             */
            done: number;
            /**
             * @description Why the sitemap could not be read, if that is what went wrong, or that the refresh was cancelled.
             * @example null
             */
            error: string | null;
            /**
             * Format: int64
             * @description Pages that could not be rendered, or were cancelled.
             * @example 1
             */
            failed: number;
            /**
             * Format: int64
             * @description Pages that are being rendered now.
             * @example 4
             */
            running: number;
            selection: ("every" | "updated") & Record<string, never>;
            startedAt: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Pages in all; 0 while the sitemap is still being read.
             * @example 500
             */
            total: number;
        };
        /** @description Visits by page; most visits first. */
        Bots: {
            byProvider: components["schemas"]["PathProviderCount"][];
            /** @description By the way they were answered. */
            byServedBy: components["schemas"]["PathServedByCount"][];
        };
        /** @description Brand profile of a domain. */
        BrandBody: {
            /**
             * @description Further names, in any spelling; spacing, case and accents make no difference.
             * @example [
             *       "Luma Docs"
             *     ]
             */
            aliases?: string[];
            competitors?: components["schemas"]["CompetitorBody"][];
            /**
             * @description Domains of the brand; subdomains belong to them.
             * @example [
             *       "lumadocs.io"
             *     ]
             */
            domains?: string[];
            /** @example LumaDocs */
            name: string;
        };
        /** @description Brand profile of a domain, as the API shows it. */
        BrandView: {
            aliases: string[];
            /**
             * Format: int64
             * @description Counts up with every change of the profile; runs say under which version they were analysed.
             * @example 1
             */
            analysisVersion: number;
            competitors: components["schemas"]["CompetitorBody"][];
            /** @description Nobody has saved a profile: it follows from the domain and the name of its site. */
            derived: boolean;
            domains: string[];
            /** @example LumaDocs */
            name: string;
            recomputing?: components["schemas"]["RecomputeProgress"] | null;
        };
        /**
         * @description Owner of a budget.
         * @enum {string}
         */
        BudgetScope: "domain" | "account" | "provider" | "installation";
        /** @description What became of a wish to stop. */
        Cancelled: {
            /** @description Whether it is being stopped; false: it had ended already. */
            ok: boolean;
            runId: string;
        };
        /** @description Everything that an audit can find. */
        Catalogue: {
            /** @description By category. */
            issues: components["schemas"]["CatalogueEntry"][];
            /** @description Numbers by which checks fire that may be set per domain. */
            thresholds: components["schemas"]["ThresholdEntry"][];
        };
        /** @description An issue. */
        CatalogueEntry: {
            /**
             * @description Its group.
             * @example description
             */
            category: string;
            /** @description What to do. */
            fix: string;
            /**
             * @description Its id; never renamed.
             * @example META_DESC_MISSING
             */
            id: string;
            /** @description Whether it is looked for unless it is turned off. */
            isDefault: boolean;
            /**
             * @description What it is about: a `page`, the `site`, its `robots` file or its `sitemap`.
             * @example page
             */
            scope: string;
            /**
             * @description `error`, `warning` or `notice`.
             * @example warning
             */
            severity: string;
            /** @description A public page that says so. */
            source: string;
            /**
             * @description What is wrong, in a few words.
             * @example Meta description is missing
             */
            title: string;
            /**
             * Format: double
             * @description What a finding takes from a page's health.
             */
            weight: number;
            /** @description Why it matters. */
            why: string;
        };
        /**
         * @description Why nothing was queued.
         * @enum {string}
         */
        Cause: "render_limit_reached" | "origin_not_reachable" | "origin_host_not_reachable" | "path_not_reachable" | "no_sitemap" | "fetch_failed" | "parse_failed" | "no_updated_paths";
        /** @description A field that changed. */
        Change: {
            after: string;
            before: string;
            /** @description `statusCode`, `title`, `metaDesc`, `h1`, `canonical` or `indexable`. */
            field: string;
        };
        /** @description What changed on a page. */
        ChangedPage: {
            /** @description Each field that changed. */
            changes: components["schemas"]["Change"][];
            /** @description The page. */
            path: string;
        };
        /**
         * @description Kind of a change between an answer and the one before.
         * @enum {string}
         */
        ChangeKind: "gained" | "lost" | "rank_up" | "rank_down" | "new_competitor" | "model_changed";
        /** @description Changes, and on how many pages. */
        Changes: {
            /** @description The first 1,000. */
            items: components["schemas"]["ChangedPage"][];
            total: number;
        };
        /** @description A record to create at the DNS provider, and what stands there. */
        CheckedRecord: {
            /** @description Values of this type that the name had; null before a check. */
            found: string[] | null;
            /**
             * @description Name within the zone: `@`, `www`, or the subdomain part.
             * @example @
             */
            name: string;
            state: components["schemas"]["RecordState"];
            /**
             * Format: int32
             * @description How long resolvers may keep it, in seconds.
             * @example 300
             */
            ttl: number;
            /**
             * @description `A`, `AAAA` or `TXT`.
             * @example A
             */
            type: string;
            /**
             * @description What it says.
             * @example 192.0.2.10
             */
            value: string;
        };
        /** @description Result of a connection check. */
        CheckResult: {
            /** @description What DNS says. */
            dns: components["schemas"]["DnsResult"];
            /** @description What came of asking for the domain as a crawler would. */
            probe: components["schemas"]["ProbeResult"];
            /** @description Whether this check moved the domain out of pending. */
            promoted: boolean;
            /** @description The stored status, after this check. */
            status: components["schemas"]["DomainStatus"];
        };
        /** @description A site that answers cite which name other brands and not the own one. */
        CitationOpportunity: {
            /**
             * Format: int64
             * @description Citations of the site in all answers.
             */
            citations: number;
            /** @description Brands that such answers name. */
            competitorsSeen: string[];
            domain: string;
            /**
             * Format: int64
             * @description Answers of that kind that cite the site.
             */
            gapResponses: number;
            promptIds: string[];
            providers: string[];
            /**
             * Format: int32
             * @description From 0 to 100.
             */
            score: number;
            /** @description Pages of the site that such answers cite, at most five. */
            topUrls: string[];
        };
        /** @description A finding on a page; the path is empty for one about the site. */
        ComparedFinding: {
            issueId: string;
            /** @description The page. */
            path: string;
        };
        /** @description What changed between two runs. */
        Comparison: {
            /** @description Pages that only the later run has. */
            addedPages: components["schemas"]["Pages"];
            /** @description Findings by issue. */
            byIssue: components["schemas"]["IssueComparison"][];
            /** @description Pages on which something changed. */
            changedPages: components["schemas"]["Changes"];
            /** @description Findings that the later run does not have any more, on pages that both have. */
            fixedFindings: components["schemas"]["Findings"];
            /** @description Findings that the earlier run did not have. */
            newFindings: components["schemas"]["Findings"];
            /**
             * @description Pages that only the earlier run has, when the later one did not look everywhere: a limit ended it, it was sampled, or
             *     only new pages were wanted.
             */
            notVisitedPages: components["schemas"]["Pages"];
            /** @description Findings that both have. */
            remainingFindings: components["schemas"]["Findings"];
            /** @description Pages that only the earlier run has, and that the later one would have found. */
            removedPages: components["schemas"]["Pages"];
        };
        /** @description Another brand that serves the same need. */
        CompetitorBody: {
            aliases?: string[];
            /**
             * @example [
             *       "notchly.com"
             *     ]
             */
            domains?: string[];
            /** @example Notchly */
            name: string;
            status?: components["schemas"]["CompetitorState"];
        };
        /** @description Competitors in a period. */
        CompetitorLandscape: {
            /** @description Competitors that responses name most often, at most 50. */
            competitors: components["schemas"]["CompetitorShare"][];
            /** @description Named in the period before and not now. */
            droppedOut: string[];
            /** @description Named now and not in the period before. Empty when that had fewer than five responses. */
            newEntrants: string[];
            /**
             * Format: int64
             * @description Responses that name the own brand.
             */
            ownResponses: number;
            /** Format: double */
            ownSharePct?: number | null;
        };
        /** @description Numbers of one competitor. */
        CompetitorShare: {
            /**
             * Format: int64
             * @description Responses that name it before the own brand, or without it.
             */
            aheadOfYou: number;
            /** Format: double */
            avgPosition?: number | null;
            /** Format: double */
            avgSentiment?: number | null;
            /**
             * Format: double
             * @description Difference from the period before. Null when that named fewer than five brands.
             */
            deltaSharePct?: number | null;
            name: string;
            promptIds: string[];
            /** Format: int64 */
            responses: number;
            /** Format: double */
            sharePct: number;
            /** @description Empty: not known. */
            siteUrl: string;
            /** @description `tracked` or `discovered`. */
            status: string;
            /**
             * Format: int32
             * @description From 0 to 100.
             */
            strength: number;
        };
        /**
         * @description State of a competitor.
         * @enum {string}
         */
        CompetitorState: "tracked" | "discovered" | "ignored";
        /** @description Records that must stand in the DNS, and what the last check found of them. */
        ConnectionRecords: {
            checkedAt: components["schemas"]["Timestamp"] | null;
            /** @description Whether another account has a claim on the site, so that a TXT record must prove whose the domain is. */
            contested: boolean;
            /** @description The way on which the check's probe came back; null: it did not. */
            probe: ("edge" | "api") | null;
            /** @description What was missing for the records to match, one sentence each. */
            problems: string[];
            /** @description Why there is a TXT record among them; null when the domain is not contested. */
            reason: string | null;
            /** @description The records to create at the DNS provider. */
            records: components["schemas"]["CheckedRecord"][];
        };
        /** @description What the cache saved: how often nobody waited for a render, and for how long. */
        CrawlBudget: {
            /**
             * Format: int64
             * @description Visits served from cache.
             */
            cacheHits: number;
            /**
             * Format: double
             * @description Visits from cache times the difference of the median times of renders and of the cache, in minutes with one decimal.
             */
            minutesSaved: number;
            /**
             * Format: double
             * @description Share of the visits that were served from cache, in percent with one decimal.
             */
            percentage: number;
        };
        /** @description Crawler visits of one page in a window. */
        CrawledPage: {
            /**
             * Format: int64
             * @description Visits that were answered with a stored snapshot.
             */
            cache: number;
            /**
             * Format: int64
             * @description Different crawlers that came.
             */
            crawlers: number;
            /**
             * @description Day of the first visit ever, `YYYY-MM-DD`; null without any.
             * @example 2026-11-01
             */
            firstSeen: string | null;
            /**
             * @description Day of the last visit in the window; null without any.
             * @example 2026-11-20
             */
            lastSeen: string | null;
            /**
             * Format: int64
             * @description Visits that the site's own server answered.
             */
            origin: number;
            /**
             * @description Path without query.
             * @example /pricing
             */
            path: string;
            /** @description By provider, most visits first. */
            providers: components["schemas"]["ProviderCount"][];
            /**
             * Format: int64
             * @description Visits that waited for a render.
             */
            render: number;
            /**
             * Format: int64
             * @description Visits of the window.
             */
            visits: number;
        };
        /** @description Pages that crawlers visited. */
        CrawledPageList: {
            pages: components["schemas"]["CrawledPage"][];
            /** @description Number of pages without limit and offset. */
            total: number;
        };
        /** @description Counts of one crawler. */
        CrawlerCount: {
            /**
             * Format: int64
             * @description Visits answered with a status of 400 to 499.
             */
            clientErrors: number;
            /** @description Visits of each day of the window, impostors' left out; null when it has more than 400 days. */
            daily: number[] | null;
            /**
             * @description Day of its first visit ever, `YYYY-MM-DD`; null: impostors only.
             * @example 2026-11-01
             */
            firstSeen: string | null;
            /**
             * Format: int64
             * @description Visits answered with a snapshot that was stored.
             */
            fromCache: number;
            /**
             * @description Its id, stable.
             * @example gptbot
             */
            id: string;
            /**
             * @description Day of its last visit.
             * @example 2026-11-20
             */
            lastSeen: string | null;
            /**
             * @description Its name, for people.
             * @example GPTBot
             */
            name: string;
            /**
             * Format: int64
             * @description Different pages that it visited.
             */
            pages: number;
            /**
             * @description Who runs it.
             * @example openai
             */
            provider: string;
            /** @description What it is for. */
            purpose: components["schemas"]["CrawlerPurpose"];
            /**
             * Format: int64
             * @description Visits answered with a status of 500 and above.
             */
            serverErrors: number;
            /**
             * Format: int64
             * @description Visits that only claimed to be this crawler's.
             */
            spoofed: number;
            /**
             * Format: int64
             * @description Those of them whose address or signature is the provider's.
             */
            verified: number;
            /**
             * Format: int64
             * @description Visits, impostors' left out.
             */
            visits: number;
        };
        CrawlerList: {
            /** @description Most visits first. */
            crawlers: components["schemas"]["CrawlerCount"][];
        };
        /**
         * @description What a crawler is for.
         * @enum {string}
         */
        CrawlerPurpose: "search" | "llm-training" | "llm-search" | "llm-user" | "preview" | "seo" | "monitor" | "ads" | "feed" | "archive" | "other";
        /** @description Pages that crawlers got an error for. */
        CrawlErrorList: {
            /** @description Most visits first. */
            errors: components["schemas"]["PageError"][];
            /** @description How many there are in all. */
            total: number;
        };
        /**
         * @description Origin of the page that a crawler gets.
         * @enum {string}
         */
        CrawlerSource: "stored" | "rendered";
        /** @description A page as a crawler gets it. */
        CrawlerView: {
            /** @description Time of the render. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `X-Robots-Tag`, `Link`, `Content-Language` and `Content-Location` of the answer to a crawler. */
            headers: components["schemas"]["ViewHeader"][];
            /** @description The first 512 KiB. */
            html: string;
            /**
             * Format: int64
             * @example 48213
             */
            htmlBytes: number;
            /** @description The HTML is longer than `html` shows. */
            htmlCut: boolean;
            /** @description Address that a redirecting page leads to. */
            location: string | null;
            picture: components["schemas"]["ViewPicture"] | null;
            snapshotKey: string | null;
            source: components["schemas"]["CrawlerSource"];
            /**
             * Format: int32
             * @example 200
             */
            status: number;
            /** @description Visible text, at most 256 KiB. */
            text: string;
            /** Format: int64 */
            words: number;
        };
        /** @description Crawler visits of one page. */
        CrawlerVisits: {
            /** @description By provider, most visits first. */
            byProvider: components["schemas"]["ProviderCount"][];
            /** @description By the way they were answered, most visits first. */
            byServedBy: components["schemas"]["ServedByCount"][];
            /**
             * Format: int64
             * @description All visits.
             */
            total: number;
        };
        /** @description A key that was made. */
        CreatedKey: components["schemas"]["ApiKeyInfo"] & {
            /**
             * @description The key itself. It is shown here and never again.
             * @example gh_live_Zk3vQm0aT9xB7yLr2WcN5eHs8UdJ4fGp0XqAbC
             */
            key: string;
        };
        /** @description A new public token. */
        CreatedToken: {
            /** @description Its last four characters. */
            last4: string;
            /**
             * @description The token. It is shown this once.
             * @example gh_stats_…
             */
            token: string;
        };
        /** @description E-mail address and password. */
        Credentials: {
            /**
             * @description E-mail address of the account.
             * @example owner@shop.example
             */
            email: string;
            /** @example correct horse battery staple */
            password: string;
        };
        /** @description Visits by day. */
        Daily: {
            /** @description One entry for every day of the window, the last one today. */
            daily: components["schemas"]["DailyCount"][];
        };
        /** @description Visits of one UTC day. */
        DailyCount: {
            /**
             * @description `YYYY-MM-DD`.
             * @example 2026-11-20
             */
            date: string;
            /** @description By provider, most visits first. */
            providers: components["schemas"]["ProviderCount"][];
            /**
             * Format: int64
             * @description All visits of the day.
             */
            total: number;
        };
        /** @description Costs of a day. */
        DayCost: {
            /**
             * @description UTC day.
             * @example 2026-11-20
             */
            date: string;
            /**
             * Format: double
             * @example 0.42
             */
            usd: number;
        };
        /** @description Days of an answer, both included. */
        DayRange: {
            /** @example 2026-10-21 */
            from: string;
            /** @example 2026-11-20 */
            to: string;
        };
        /**
         * @description Frequency of the digest by e-mail.
         * @enum {string}
         */
        DigestFrequency: "off" | "daily" | "weekly";
        /** @description Names an entry of attention. */
        DismissedEntry: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /**
             * @description Name of the entry.
             * @example snapshots_stale
             */
            id: string;
        };
        /** @description A record to create at the DNS provider. */
        DnsRecord: {
            /**
             * @description Name within the zone: `@`, `www`, or the subdomain part.
             * @example @
             */
            name: string;
            /**
             * Format: int32
             * @description How long resolvers may keep it, in seconds.
             * @example 300
             */
            ttl: number;
            /**
             * @description `A`, `AAAA` or `TXT`.
             * @example A
             */
            type: string;
            /**
             * @description What it says.
             * @example 192.0.2.10
             */
            value: string;
        };
        /** @description What DNS says of a domain. */
        DnsResult: {
            /** @description Whether every address belongs to a proxy provider, which hides the domain's own records. */
            cloudflareProxy: boolean;
            /** @description Whether DNS did not answer; trying again later may help. */
            lookupFailed: boolean;
            /** @description Whether the records point at the service, and nowhere else; with the ownership record, when the domain needs one. */
            match: boolean;
        };
        /** @description Costs of a domain's monitoring, in US dollars. */
        DomainCosts: {
            /** @description Budgets that cannot pay for a question now. */
            budgetSpent: components["schemas"]["BudgetScope"][];
            /** @description Days with costs, the earliest first. */
            byDay: components["schemas"]["DayCost"][];
            /** @description The dearest first. */
            byPrompt: components["schemas"]["PromptCost"][];
            /** @description The dearest first. */
            byProvider: components["schemas"]["ProviderCost"][];
            /**
             * Format: double
             * @description Part of `usd` that the provider has not stated.
             * @example 0.3
             */
            estimatedUsd: number;
            month: components["schemas"]["MonthMoney"];
            resumesAt?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: double
             * @example 4.2
             */
            usd: number;
        };
        /**
         * @description A domain with its settings.
         * @example {
         *       "createdAt": "2026-11-20T12:00:00.000Z",
         *       "customResponseHeaders": [
         *         {
         *           "headers": [
         *             {
         *               "name": "x-robots-tag",
         *               "value": "noindex"
         *             }
         *           ],
         *           "pathPattern": "/drafts/**"
         *         }
         *       ],
         *       "discoveredUrlCount": 128,
         *       "domain": "shop.example",
         *       "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
         *       "ignorePaths": "/admin/**\n/cart",
         *       "onDemandRenderEnabled": true,
         *       "originHost": "shop.lovable.app",
         *       "preferredHost": "apex",
         *       "redirectRules": [
         *         {
         *           "destination": "/articles/$1",
         *           "preserveQuery": true,
         *           "source": "/blog/*",
         *           "status": 301
         *         }
         *       ],
         *       "sitemapUrl": "https://shop.example/sitemap.xml",
         *       "status": "connected",
         *       "updatedAt": "2026-11-20T12:00:00.000Z"
         *     }
         */
        DomainDetail: {
            /** @description When it was added. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Added to the domain's answers. */
            customResponseHeaders: components["schemas"]["HeaderRule"][];
            /**
             * Format: int64
             * @description Pages found in the sitemap when it was last read.
             * @example 128
             */
            discoveredUrlCount: number;
            /**
             * @description The name, in A-label form.
             * @example shop.example
             */
            domain: string;
            id: components["schemas"]["DomainId"];
            /**
             * @description Path patterns that are never prerendered, one per line; empty when none.
             * @example /admin/**
             *     /cart
             */
            ignorePaths: string;
            /** @description Whether a page that was never rendered is rendered when a crawler asks for it. */
            onDemandRenderEnabled: boolean;
            /**
             * @description Host, and port if it is not the usual one, that answers for people; empty when it is the domain itself.
             * @example shop.lovable.app
             */
            originHost: string;
            preferredHost?: components["schemas"]["PreferredHost"] | null;
            /** @description First match wins. */
            redirectRules: components["schemas"]["RedirectRule"][];
            /**
             * @description The stored sitemap; empty when none.
             * @example https://shop.example/sitemap.xml
             */
            sitemapUrl: string;
            /** @description Where it is on its way. */
            status: components["schemas"]["DomainStatus"];
            /** @description When it was last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /**
         * @description Identifies a domain record. Snapshots, jobs and counts belong to it, never to the bare host name, so that a name
         *     which is removed and added again starts empty.
         * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
         */
        DomainId: string;
        /** @description A domain as lists show it. */
        DomainItem: {
            /** @description When it was added. */
            createdAt: components["schemas"]["Timestamp"];
            /**
             * @description The name, in A-label form.
             * @example shop.example
             */
            domain: string;
            id: components["schemas"]["DomainId"];
            /**
             * @description Host that answers for people; empty when it is the domain itself.
             * @example shop.lovable.app
             */
            originHost: string;
            /** @description The stored sitemap; empty when none. */
            sitemapUrl: string;
            /** @description Where it is on its way. */
            status: components["schemas"]["DomainStatus"];
            /** @description When it was last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description An account's domains. */
        DomainList: {
            /** @description In the order they were added. */
            domains: components["schemas"]["DomainItem"][];
        };
        /**
         * @description Where a domain is on its way to being served.
         * @enum {string}
         */
        DomainStatus: "pending" | "connected" | "via api" | "suspended";
        /**
         * @description Kind of the edge's answer.
         * @enum {string}
         */
        EdgeDecision: "redirect" | "origin" | "snapshot";
        /**
         * @description Reason of the edge's answer.
         * @enum {string}
         */
        EdgeReason: "preferred_host" | "redirect_rule" | "ignored_path" | "static_asset" | "person" | "page";
        /** @description The form of every error. */
        ErrorBody: {
            /**
             * Format: int64
             * @description How much of it is used, or was asked for.
             */
            current?: number | null;
            /** @description What is wrong with each header, with `invalid_custom_headers`: the rule's number, the header's name, and why. */
            details?: Record<string, never>[] | null;
            /**
             * @description What went wrong, as a code for programs.
             * @example invalid_request
             */
            error: string;
            /** @description What is wrong with the request, with `invalid_request` and `validation_error`. */
            issues?: components["schemas"]["Issue"][] | null;
            /**
             * Format: int64
             * @description The plan's limit, with the codes that name one.
             */
            limit?: number | null;
            /** @description Reason why the site could not be asked, with `fetch_failed` of a verification. */
            reason?: string | null;
            /** @description The plan that would allow it, with `plan_required`. */
            requiredPlan?: string | null;
        };
        /** @description An element or target. */
        ExampleShown: {
            /** @description What is wrong with it. */
            detail: string;
            /** @description Its text or markup. */
            text: string;
            /** @description Its address; "" when it has none. */
            url: string;
        };
        /** @description Pieces of each page, under a name: either of the elements that a selector names, or of what an expression matches. */
        ExtractionRule: {
            /** @description The attribute that is wanted of the elements; their text unless given. */
            attribute?: string | null;
            /**
             * @description The name under which they stand with the page.
             * @example price
             */
            name: string;
            /**
             * @description `raw`: what the server sent; `rendered` unless given: what a browser made of it, where it was rendered.
             * @example rendered
             */
            of?: string;
            /** @description Regular expression in the source; its first group is the piece, else all of the match. */
            regex?: string | null;
            /**
             * @description CSS selector of the elements.
             * @example .price
             */
            selector?: string | null;
        };
        /** @description Findings, and how many there are. */
        Findings: {
            /** @description The first 1,000. */
            items: components["schemas"]["ComparedFinding"][];
            total: number;
        };
        /** @description What one check found on a page. */
        FindingShown: {
            /**
             * Format: int32
             * @description Elements or targets at fault.
             */
            count: number;
            /** @description The first 20 of them. */
            examples: components["schemas"]["ExampleShown"][];
            /** @example META_DESC_MISSING */
            issueId: string;
            /**
             * Format: double
             * @description Points that it takes from the page's health, before the category's cap; null in runs that are older than the field.
             * @example 3
             */
            points?: number | null;
            /** @description `error`, `warning` or `notice`. */
            severity: string;
        };
        /** @description State of the installation and of the account. */
        FirstRun: {
            account: components["schemas"]["AccountContents"];
            /**
             * @description The demo domain, if it is the account's.
             * @example demo.localhost
             */
            demoDomain: string | null;
            /** @description `browser`, `database`, `object_store`, `visit_store`, `addresses`, `public_url`, `mail`. */
            installation: components["schemas"]["InstallationPart"][];
            /** @description All assistants, in their order. */
            providers: components["schemas"]["ProviderReadiness"][];
        };
        /** @description Visits of one crawler to a page that robots.txt forbids it. */
        ForbiddenVisits: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description Id of the crawler.
             * @example gptbot
             */
            crawler: string;
            /** @description Line of robots.txt that forbids it. */
            line: number;
            /**
             * @description Path without query.
             * @example /checkout
             */
            path: string;
            /**
             * @description Who runs it.
             * @example openai
             */
            provider: string;
        };
        /**
         * @description How often a domain is audited by itself.
         * @enum {string}
         */
        Frequency: "manual" | "daily" | "weekly" | "monthly";
        /** @description A page of the graph. */
        GraphNode: {
            /**
             * Format: int32
             * @description Clicks from the start; null: nothing leads to it, or the run is older than this field.
             */
            depth?: number | null;
            /**
             * Format: double
             * @description 0 to 100, one decimal.
             */
            healthScore: number;
            /** @example 5f0c8d1b2a7e4c39 */
            id: string;
            /**
             * Format: int32
             * @description Pages of the site that link to it.
             */
            inlinkCount: number;
            /** @example /pricing */
            path: string;
            /**
             * Format: int32
             * @description Its own status; 0: no answer, or robots.txt forbids it.
             */
            statusCode: number;
        };
        HeaderField: {
            /**
             * @description A header name; case does not matter.
             * @example x-robots-tag
             */
            name: string;
            /**
             * @description Printable ASCII.
             * @example noarchive
             */
            value: string;
        };
        /** @description Headers for the paths that match a pattern. */
        HeaderRule: {
            /** @description At most five. */
            headers: components["schemas"]["HeaderField"][];
            /** @example /blog/** */
            pathPattern: string;
        };
        /** @description A header without its value. */
        HeaderShown: {
            name: string;
        };
        /** @description The process is up. */
        Health: {
            /** @description Always true: who answers is up. */
            ok: boolean;
            /**
             * @description Version of the program.
             * @example 0.1.0
             */
            version: string;
        };
        /** @description A step of a redirect. */
        HopShown: {
            /**
             * Format: int32
             * @description What it answers; 0: no answer, or not asked.
             */
            status: number;
            /** @description Absolute address. */
            url: string;
        };
        /** @description Findings that nobody wants to hear of. */
        Ignored: {
            /** @example THIN_CONTENT */
            issueId: string;
            /**
             * @description On which paths; `*` is any run of characters. Findings about the site are at `/`.
             * @example /tags/*
             */
            pathPattern: string;
        };
        /** @description Outcome of an import. */
        ImportOutcome: {
            /**
             * @description Prompts that are new.
             * @example 12
             */
            created: number;
            /**
             * @description Runs that were queued for them.
             * @example 36
             */
            queued: number;
            refused: components["schemas"]["RefusedPrompt"][];
            /**
             * @description Prompts whose text the domain has already, or that stand in the list twice.
             * @example 3
             */
            skipped: number;
        };
        /** @description Prompts that are to be created. */
        ImportRequest: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /** @description At most 1,000. */
            prompts: components["schemas"]["PromptFields"][];
        };
        /** @description A part of the installation. */
        InstallationPart: {
            /** @example browser */
            id: string;
            state: components["schemas"]["InstallationState"];
        };
        /**
         * @description State of a part of the installation.
         * @enum {string}
         */
        InstallationState: "ok" | "note" | "broken";
        /** @description A line that is no pattern. */
        InvalidLine: {
            /** @description Number of the line, from 1. */
            line: number;
            /** @example must start with / */
            message: string;
        };
        /** @description Something wrong in a request, and where: a dotted path such as `redirectRules.0.status`. */
        Issue: {
            /**
             * @description What is wrong, in a sentence.
             * @example is not an absolute http or https address
             */
            message: string;
            /**
             * @description Where; empty: the whole body.
             * @example url
             */
            path: string;
        };
        /** @description Findings of one issue. */
        IssueComparison: {
            /** @description Findings that the later run does not have any more. */
            fixed: number;
            /** @example META_DESC_MISSING */
            issueId: string;
            /** @description Findings that the earlier run did not have. */
            new: number;
            /** @description Findings that both have. */
            remaining: number;
        };
        /** @description Rows that carried an issue in each run. */
        IssueCounts: {
            /**
             * @description Rows that carried it, in the order of `runs`; 1 for one about the site.
             * @example [
             *       12,
             *       12,
             *       3
             *     ]
             */
            counts: number[];
            /** @example META_DESC_MISSING */
            issueId: string;
            /**
             * @description `error`, `warning` or `notice`; "" for an issue that this version does not know.
             * @example warning
             */
            severity: string;
        };
        /**
         * @description Identifies an API key. Not the key itself: it may be shown and logged.
         * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
         */
        KeyId: string;
        /** @description The API keys of an account. */
        KeyList: {
            /** @description Oldest first; revoked keys stay listed. */
            keys: components["schemas"]["ApiKeyInfo"][];
        };
        /** @description The last visit of a crawler to a page. */
        LastVisit: {
            /** @example googlebot */
            crawler: string;
            /**
             * @description UTC day.
             * @example 2026-11-20
             */
            date: string;
            /**
             * @description Who runs it.
             * @example google
             */
            provider: string;
        };
        /** @description Pages with the most links to them, and the links between these. */
        LinkGraph: {
            /**
             * @description Links between these pages: positions in `nodes` of the page that it stands on and of the page that it leads to. Each pair
             *     once, at most 20,000.
             * @example [
             *       [
             *         0,
             *         1
             *       ],
             *       [
             *         1,
             *         0
             *       ]
             *     ]
             */
            edges: [
                number,
                number
            ][];
            /** @description Links between the pages of `nodes`, those that are left out of `edges` too. */
            edgeTotal: number;
            /** @description Pages, those with the most links to them first. */
            nodes: components["schemas"]["GraphNode"][];
            /** @description Pages of the run. */
            pageTotal: number;
        };
        /** @description Links of a run. */
        LinkList: {
            /** @description Those that were asked for. */
            links: components["schemas"]["LinkRow"][];
            /** @description How many match. */
            total: number;
        };
        /** @description A link of the site. */
        LinkRow: {
            /** @description Its text. */
            anchor: string;
            /**
             * @description Path of the page it stands on.
             * @example /
             */
            from: string;
            rel: string;
            /**
             * Format: int32
             * @description Status of its target, on another host as the audit's probe saw it; 0: no answer; null: not known.
             */
            status?: number | null;
            /**
             * @description Path on the site, or absolute address elsewhere.
             * @example /pricing
             */
            to: string;
        };
        /** @description A visit, as it is recorded. The data of an event `visit`. */
        LiveVisit: {
            /** @description When it was answered. */
            at: components["schemas"]["Timestamp"];
            /**
             * @description Id of the crawler.
             * @example gptbot
             */
            crawler: string;
            /**
             * Format: double
             * @description How long the answer took, in milliseconds.
             */
            durationMs: number;
            /**
             * @description Path without query.
             * @example /pricing
             */
            path: string;
            /**
             * @description Who runs it.
             * @example openai
             */
            provider: string;
            /** @description How it was answered. */
            servedBy: components["schemas"]["ServedBy"];
            /**
             * Format: int32
             * @description Status of the answer.
             */
            status: number;
            /** @description Whether it is who it says. */
            verified: components["schemas"]["Verified"];
        };
        /**
         * @description How pages are found.
         * @enum {string}
         */
        Mode: "follow" | "selected" | "sitemap";
        /** @description Changes of a domain's monitoring. Fields that are left out stay as they are. */
        MonitoringChange: {
            /**
             * Format: double
             * @description US dollars a UTC month; null: no limit.
             * @default null
             */
            budgetUsdPerMonth: number | null;
            /** @default null */
            digest: components["schemas"]["DigestFrequency"] | null;
            /** @description Default of new prompts: an object or its JSON; null: none. */
            personaLocation?: Record<string, never> | null;
            /**
             * @description Told when a report is ready; null: nobody.
             * @default null
             */
            webhookUrl: string | null;
        };
        /** @description Settings of a domain's monitoring, as the API shows them. */
        MonitoringView: {
            /**
             * Format: double
             * @description US dollars a UTC month; null: no limit.
             * @example 20
             */
            budgetUsdPerMonth?: number | null;
            digest: components["schemas"]["DigestFrequency"];
            /**
             * @description Default of new prompts, JSON; `{}` when none.
             * @example {"country":"DE"}
             */
            personaLocation: string;
            /** @description Key of the `x-service-signature` of webhooks. In the answer that made it, and never again. */
            webhookSecret?: string | null;
            /** @description Told when a report is ready; null: nobody. */
            webhookUrl?: string | null;
        };
        /**
         * @description Interval at which a prompt is asked.
         * @enum {string}
         */
        MonitorInterval: "dynamic" | "weekly" | "monthly";
        /** @description Money of the current UTC month. */
        MonthMoney: {
            /**
             * Format: double
             * @description Budget of the domain; null: none.
             * @example 20
             */
            budgetUsd?: number | null;
            /**
             * Format: double
             * @description Spent at the end of the month, by the schedule of the prompts and the prices of the assistants.
             * @example 12.4
             */
            projectedUsd: number;
            /**
             * Format: double
             * @description Reserved for requests that are under way.
             * @example 0.06
             */
            reservedUsd: number;
            /**
             * Format: double
             * @example 3.1
             */
            spentUsd: number;
        };
        /** @description The newest view of a page. */
        NewestView: {
            view: components["schemas"]["View"] | null;
        };
        /** @description A key to be made. */
        NewKeyRequest: {
            /**
             * @description Restricts the key to one of the account's domains.
             * @example shop.example
             */
            domain?: string | null;
            /**
             * @description What you call it; at most 100 characters.
             * @example Build server
             */
            name?: string | null;
        };
        /**
         * @description Reason for which a process serves no visitors.
         * @enum {string}
         */
        NoTraffic: "starting" | "draining";
        /** @description An own page that answers cite. */
        OverviewCitedPage: {
            /** Format: int64 */
            citations: number;
            /**
             * Format: int64
             * @description Issues in the last audit; null: the page was not audited.
             */
            issueCount: number | null;
            /**
             * @description Day of the last visit of an AI crawler; null: none, or not known.
             * @example 2026-11-20
             */
            lastCrawlerVisit: string | null;
            /**
             * @description Path with the query.
             * @example /pricing
             */
            path: string;
            /** @description Assistants that cite it. */
            providers: string[];
            /**
             * Format: int64
             * @description Age of the snapshot; null: there is none.
             */
            snapshotAgeSeconds: number | null;
        };
        /** @description Health of a site. */
        OverviewHealth: {
            completedAt: components["schemas"]["Timestamp"];
            /**
             * Format: double
             * @description Change since the run before; null for the first run.
             * @example 2.1
             */
            delta: number | null;
            /**
             * Format: int64
             * @description Findings of severity error.
             */
            errors: number;
            /** Format: int64 */
            notices: number;
            /** @description The last 12 runs, the oldest first. */
            points: components["schemas"]["OverviewHealthPoint"][];
            runId: string;
            /**
             * Format: double
             * @description 0 to 100.
             * @example 87.4
             */
            score: number;
            /** Format: int64 */
            warnings: number;
        };
        /** @description Health of one run. */
        OverviewHealthPoint: {
            completedAt: components["schemas"]["Timestamp"];
            runId: string;
            /** Format: double */
            score: number;
        };
        /** @description People whom assistants sent. */
        OverviewPeople: {
            /**
             * Format: int64
             * @description People of as many days before; null: they were not counted on all of those days.
             */
            previous: number | null;
            /** Format: int64 */
            total: number;
        };
        /** @description Visibility at one assistant. */
        OverviewProvider: {
            /** Format: int64 */
            answers: number;
            /** Format: double */
            high: number | null;
            /** Format: double */
            low: number | null;
            /** Format: int64 */
            mentions: number;
            /** @example chatgpt */
            provider: string;
            /** Format: double */
            rate: number | null;
        };
        /** @description Rate of one UTC day. */
        OverviewRate: {
            /** @example 2026-11-20 */
            date: string;
            /** Format: double */
            rate: number | null;
        };
        /** @description Savings of the cache. */
        OverviewServed: {
            /** Format: int64 */
            cacheHits: number;
            /**
             * Format: double
             * @description Share of the visits with a snapshot that were served from cache, in percent.
             * @example 94.2
             */
            cachePercent: number;
            /**
             * Format: double
             * @description Time that crawlers did not wait, in minutes.
             * @example 552
             */
            minutesSaved: number;
        };
        /** @description Snapshots of a site by state. */
        OverviewSnapshots: {
            /** Format: int64 */
            failing: number;
            /** Format: int64 */
            fresh: number;
            /** Format: int64 */
            stale: number;
            /** Format: int64 */
            total: number;
        };
        /** @description Visibility in the answers of assistants. Rates are percent with one decimal, null without answers. */
        OverviewVisibility: {
            /** Format: int64 */
            answers: number;
            /**
             * Format: double
             * @example 45.5
             */
            high: number | null;
            /** @description The intervals of the two rates are apart. */
            isSignificant: boolean;
            /**
             * Format: double
             * @description Lower end of the 95 % interval (Wilson).
             * @example 41.6
             */
            low: number | null;
            /**
             * Format: int64
             * @description Answers that name the brand.
             */
            mentions: number;
            /** @description Rate of each day. */
            points: components["schemas"]["OverviewRate"][];
            /**
             * Format: double
             * @description Rate of as many days before.
             * @example 47.5
             */
            previousRate: number | null;
            /** @description Assistants that answered. */
            providers: components["schemas"]["OverviewProvider"][];
            /**
             * Format: double
             * @example 43.6
             */
            rate: number | null;
        };
        /** @description Visits of crawlers, those that the origin answered included. */
        OverviewVisits: {
            /** @description Visits for language models, for each of the dates. */
            ai: number[];
            /** @description UTC days, the last one today. */
            dates: string[];
            other: number[];
            /**
             * Format: int64
             * @description Visits of as many days before; null: visits were not counted on all of those days.
             * @example 9554
             */
            previous: number | null;
            /** @description Visits for search engines. */
            search: number[];
            /**
             * Format: int64
             * @example 11303
             */
            total: number;
        };
        /** @description Visits and issues of an own page that answers cite. */
        OwnPage: {
            /**
             * @description Day of the last visit of an AI crawler within 180 days; null: none, or not known.
             * @example 2026-11-08
             */
            lastCrawlByAiBots?: string | null;
            /**
             * Format: int64
             * @description Issues of the page in the latest audit; null: the page is in no audit.
             * @example 2
             */
            openIssues?: number | null;
            /**
             * Format: int64
             * @description People whom assistants sent to the page within the window; null: not known.
             * @example 9
             */
            referrals?: number | null;
        };
        /** @description An own page that answers cite, with what crawlers and audits know of it. Null: not known. */
        OwnPageInsight: {
            /** Format: int64 */
            citations: number;
            /** @description Day of the last visit by a crawler of an assistant in the last 30 days, `YYYY-MM-DD`. */
            lastCrawlByAiBots?: string | null;
            /**
             * Format: int64
             * @description Issues in the latest audit.
             */
            openIssues?: number | null;
            /**
             * Format: int64
             * @description People who came from assistants in the period.
             */
            referrals?: number | null;
            url: string;
        };
        /** @description Everything that is known of a page. */
        PageDetails: {
            /** @description What was found, with evidence. */
            findings: components["schemas"]["FindingShown"][];
            /** @description Steps of its redirect. */
            hops: components["schemas"]["HopShown"][];
            /** @description Links to it, at most 1,000. */
            inlinks: components["schemas"]["LinkRow"][];
            lastCrawlerVisit?: components["schemas"]["LastVisit"] | null;
            /** @description It was to be rendered, and no browser was free in time: its findings are those of what the server sent. */
            missedRender: boolean;
            /**
             * Format: double
             * @description Health of the server's own answer, 0 to 100; null where crawlers get that answer.
             */
            originHealthScore?: number | null;
            /** @description Links on it. */
            outlinks: components["schemas"]["LinkRow"][];
            /** @description As lists show it. */
            page: components["schemas"]["PageRow"];
            /** @description What its health lost, by category; null in runs that are older than the field. */
            penalties?: components["schemas"]["PenaltyShown"][] | null;
            /** @description What the server sent: `title`, `metaDesc`, `canonical`, `metaRobots`, `h1`, and what else scripts changed. */
            raw: Record<string, never>;
            /** @description The same of what the browser made of it; null when it was not rendered. */
            rendered?: Record<string, never> | null;
            /** @description Headers that protect visitors, by name, as they were sent; null in runs that are older than the field. */
            securityHeaders?: Record<string, never> | null;
            /**
             * @description Findings of the server's own answer that the snapshot does not have: crawlers do not meet them, and they take nothing from
             *     the health. Null in runs that are older than the field.
             */
            solved?: components["schemas"]["FindingShown"][] | null;
        };
        /** @description Answers of one page with one status, which says that something is wrong. */
        PageError: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description Day of the last one, `YYYY-MM-DD`.
             * @example 2026-11-20
             */
            lastSeen: string;
            /**
             * @description Path without query.
             * @example /old-offer
             */
            path: string;
            /** @description By provider, most visits first. */
            providers: components["schemas"]["ProviderCount"][];
            /**
             * Format: int32
             * @description 400 to 599.
             * @example 404
             */
            status: number;
        };
        /** @description A page of a batch that failed. */
        PageFailure: {
            /** @example the page answered 500 */
            error: string;
            /**
             * @description Its address.
             * @example https://shop.example/shoes
             */
            url: string;
        };
        /** @description What is read from the page itself. */
        PageFields: {
            /** @description Effective canonical, absolute; "" when there is none. */
            canonical?: string | null;
            /** @description Encoding, lower case; "" when nothing names one. */
            charset?: string | null;
            /** @description Content type as it was sent. */
            contentType?: string | null;
            /**
             * @description `YYYY-MM-DD HH:MM:SS` in UTC.
             * @example 2026-11-20 12:00:00
             */
            crawledAt?: string | null;
            /**
             * Format: int32
             * @description Clicks from the start; null: nothing leads to it.
             */
            depth?: number | null;
            /** @description Links to other hosts. */
            externalOutlinks?: number | null;
            /** @description First heading; "" when there is none. */
            h1?: string | null;
            /**
             * Format: int64
             * @description Bytes of the plain fetch, decompressed, as far as they were read.
             */
            htmlBytes?: number | null;
            /**
             * Format: int32
             * @description Pages of the site that link to it.
             */
            inlinkCount?: number | null;
            /** @description Links to the site. */
            internalOutlinks?: number | null;
            /** @description `Last-Modified` as it was sent. */
            lastModified?: string | null;
            /**
             * Format: double
             * @description 0 to 100, one decimal: the share of visits of somebody who follows links at random, on a logarithmic scale.
             */
            linkScore?: number | null;
            /** @description Description; "" when there is none. */
            metaDesc?: string | null;
            /** @description Contents of all robots metas, joined with ", ". */
            metaRobots?: string | null;
            /** @description Links with nofollow. */
            nofollowOutlinks?: number | null;
            /**
             * Format: double
             * @description Flesch reading ease of the main text, 0 to 100; -1 when the language has no formula or there is no text.
             */
            readability?: number | null;
            /** @description Hops of its redirect. */
            redirectCount?: number | null;
            /** @description The first `og:*` and `twitter:*` of each name. */
            socialTags?: {
                [key: string]: string;
            } | null;
            /**
             * Format: double
             * @description Visible text in hundredths of the document, one decimal.
             */
            textRatio?: number | null;
            /** @description Title; "" when there is none. */
            title?: string | null;
            /** @description Viewport; "" when there is none. */
            viewport?: string | null;
            /** @description Words of the main text. */
            wordCount?: number | null;
        };
        /** @description Crawler visits of a page, and what the latest audit found on it. */
        PageInsights: {
            crawlerVisits: components["schemas"]["CrawlerVisits"];
            domain: string;
            /** @description Its path, without the query. */
            path: string;
            /** @description The latest audit with results. */
            seoSpider: components["schemas"]["SeoSpider"];
            /** @description The page. */
            url: string;
            /** @description What the visits are counted over. */
            window: components["schemas"]["WindowInfo"];
        };
        /** @description An issue of a page. */
        PageIssue: {
            /**
             * @description Its id in the catalogue.
             * @example META_DESC_MISSING
             */
            issueId: string;
            /**
             * @description How bad it is.
             * @example warning
             */
            severity: string;
        };
        /** @description Asks for one page. */
        PageRequest: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /**
             * @description Path of the page, with its query if it has one.
             * @example /shoes?size=42
             */
            path: string;
            /**
             * @description `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the page is only deleted).
             * @example true
             */
            prewarm?: boolean | null;
        };
        /** @description A page as lists show it. In runs that are older than a field the field is null. */
        PageRow: components["schemas"]["PageFields"] & {
            /** @description Pieces of it, by the name of the extraction; those that found nothing are left out. */
            extracted?: {
                [key: string]: string[];
            } | null;
            /**
             * Format: double
             * @description 0 to 100, one decimal: 100 less the weight of each finding, up to twice that when many elements share it, each
             *     category at most its cap; 0 with a finding that leaves nothing of the page's worth.
             */
            healthScore: number;
            /**
             * @description The same for one path in every run.
             * @example 5f0c8d1b2a7e4c39
             */
            id: string;
            /** @description A search engine would list it under its own address. */
            indexable: boolean;
            /** @description How many different issues it has. */
            issueCount: number;
            issues: components["schemas"]["PageIssue"][];
            /**
             * Format: int64
             * @description The plain fetch, from the request to the last byte.
             */
            loadTimeMs: number;
            /**
             * @description Path with query.
             * @example /pricing
             */
            path: string;
            /**
             * Format: double
             * @description 0 to 100: what a search result and a shared link will look like.
             */
            previewScore: number;
            /** @description Names of the searches that found it. */
            searches?: string[] | null;
            /**
             * Format: int32
             * @description Its own status; 0: no answer, or robots.txt forbids it.
             */
            statusCode: number;
            /** @description Health in up to 12 runs that have the page, the oldest first, this one last. */
            trendPoints: number[];
        };
        /** @description Pages, and how many there are. */
        Pages: {
            /** @description Paths of the first 1,000. */
            items: string[];
            total: number;
        };
        /**
         * @description What was done for one or several pages.
         * @example {
         *       "ok": true,
         *       "prewarmed": 1
         *     }
         * @example {
         *       "error": "path_not_reachable",
         *       "ok": false,
         *       "prewarmed": 0
         *     }
         */
        PagesReply: {
            /**
             * Format: int64
             * @description How many stored pages were deleted (variant `purge` only).
             * @example 1
             */
            deleted?: number | null;
            error?: components["schemas"]["Cause"] | null;
            /** @description Whether it worked; `false` comes with `error`. */
            ok: boolean;
            /**
             * Format: int64
             * @description How many renders were queued.
             * @example 1
             */
            prewarmed: number;
        };
        /** @description How one part is. */
        Part: {
            /** @description It can be used. */
            ok: boolean;
            /** @description What is wrong, when something is. */
            problem?: string | null;
        };
        /** @description The password of an account, and the one that takes its place. */
        PasswordChange: {
            /** @example correct horse battery staple */
            currentPassword: string;
            /**
             * @description 12 to 256 characters.
             * @example purple monkey dishwasher
             */
            newPassword: string;
        };
        /** @description Visits of a page by a provider's crawlers. */
        PathProviderCount: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description Path without query.
             * @example /pricing
             */
            path: string;
            /**
             * @description Who runs the crawlers.
             * @example google
             */
            provider: string;
        };
        /** @description Visits of a page answered one way. */
        PathServedByCount: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description Path without query.
             * @example /pricing
             */
            path: string;
            /**
             * @description `cache`, `render`, and `origin` when it was asked for.
             * @example cache
             */
            servedBy: string;
        };
        /** @description Asks for several pages. */
        PathsRequest: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /** @description Paths of the pages: at least one. */
            paths: string[];
            /**
             * @description `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the pages are only deleted).
             * @example true
             */
            prewarm?: boolean | null;
        };
        /** @description A stored page and the first line that matches it. */
        PatternMatch: {
            /** @description Number of the line, from 1. */
            line: number;
            /** @example /admin/orders */
            path: string;
        };
        /** @description Patterns to try. */
        PatternTest: {
            /**
             * @description Path patterns, one per line; at most 500 lines and 16 KiB.
             * @example /admin/**
             *     /cart
             */
            patterns: string;
        };
        /** @description Stored pages that patterns match. */
        PatternTestResult: {
            /** @description The first 100 matches, by path. */
            examples: components["schemas"]["PatternMatch"][];
            /** @description Lines that are no patterns. */
            invalid: components["schemas"]["InvalidLine"][];
            /** @description Number of stored pages that a pattern matches. */
            matched: number;
            /** @description Number of stored pages. */
            total: number;
        };
        /** @description Points that a category of findings takes from a page's health. */
        PenaltyShown: {
            /**
             * Format: double
             * @description Most points that the category takes.
             * @example 15
             */
            cap: number;
            /** @example meta */
            category: string;
            /**
             * Format: double
             * @description Points that the page lost, at most `cap`.
             * @example 3
             */
            points: number;
        };
        /** @description A page as a person sees it. */
        PersonView: {
            finalUrl: string;
            /** @description The page was cut off before it settled. */
            partial: boolean;
            picture: components["schemas"]["ViewPicture"] | null;
            /**
             * Format: int32
             * @example 200
             */
            status: number;
            /** @description Visible text, at most 256 KiB. */
            text: string;
            /**
             * Format: int64
             * @example 412
             */
            words: number;
        };
        /**
         * @description A plan, in ascending order.
         * @enum {string}
         */
        Plan: "essential" | "agency" | "business" | "enterprise";
        /**
         * @description Which of its two names a site prefers.
         * @enum {string}
         */
        PreferredHost: "apex" | "www";
        /** @description What came of a probe. */
        ProbeResult: {
            /** @description Whether a crawler-style request through the domain reached the service. */
            ok: boolean;
        };
        /**
         * @description Kind of a change.
         * @enum {string}
         */
        PromptAction: "create" | "update" | "delete";
        /** @description Costs of a prompt. */
        PromptCost: {
            promptId: string;
            /** @description Empty: the prompt was deleted. */
            promptText: string;
            /**
             * Format: double
             * @example 0.42
             */
            usd: number;
        };
        /** @description A prompt that is to be created. */
        PromptFields: {
            /**
             * Format: int32
             * @description 1 unless given; 0: paused.
             * @default null
             */
            active: number | null;
            /** @default null */
            intent: components["schemas"]["PromptIntent"] | null;
            /** @default null */
            monitorInterval: components["schemas"]["MonitorInterval"] | null;
            /**
             * @description Place, language and role of the person who asks: an object or its JSON; null: none. The domain's default unless
             *     given.
             */
            personaLocation?: Record<string, never> | null;
            /**
             * @description The question, as it is asked. Required.
             * @default null
             * @example What is the best tool for prerendering a single-page app?
             */
            promptText: string | null;
            /**
             * @description Assistants that are asked; those that plan and settings allow unless given.
             * @default null
             * @example [
             *       "chatgpt",
             *       "gemini"
             *     ]
             */
            providers: string[] | null;
            /**
             * @description At most 10, separated by commas: lower-case letters, digits and hyphens, 64 characters each.
             * @default null
             * @example docs,comparison
             */
            tags: string | null;
        };
        /** @description Numbers of one prompt. */
        PromptInsight: {
            /** Format: double */
            avgPosition?: number | null;
            /** @description The text names the own brand. */
            branded: boolean;
            /**
             * Format: double
             * @description Largest smoothed change of its assistants' answers, from 0 to 1. Null before the second answer.
             */
            changeEwma?: number | null;
            ci?: number[] | null;
            /**
             * Format: int32
             * @description From 0 to 100; −1 under three responses.
             */
            difficulty: number;
            /** @example info */
            intent: string;
            /**
             * Format: int32
             * @description Shortest interval of its assistants: 0 (six hours) to 5 (four days). Null unless it is `dynamic`.
             */
            level?: number | null;
            /** Format: int64 */
            mentions: number;
            promptId: string;
            promptText: string;
            /** Format: int64 */
            responses: number;
            tags: string[];
            topCompetitor?: string | null;
            /** Format: double */
            topCompetitorSharePct?: number | null;
            /** Format: double */
            visibilityPercent?: number | null;
        };
        /**
         * @description Purpose of a question.
         * @enum {string}
         */
        PromptIntent: "info" | "trans" | "comm";
        /** @description A change of the prompts of a domain. */
        PromptRequest: {
            action: components["schemas"]["PromptAction"];
            /**
             * Format: int32
             * @description 1: asked by the schedule, which takes a monitor slot of the plan; 0: paused. A new prompt has 1 unless given.
             */
            active?: number | null;
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /** @description The prompt; required for update and delete. */
            id?: string | null;
            intent?: components["schemas"]["PromptIntent"] | null;
            monitorInterval?: components["schemas"]["MonitorInterval"] | null;
            /**
             * @description Place, language and role of the person who asks: an object with any of `country`, `region`, `city`, `timezone`,
             *     `language`, `lat`, `lng`, `persona`, or its JSON; null: none. A new prompt has the domain's default unless given.
             */
            personaLocation?: Record<string, never> | null;
            /**
             * @description The question, as it is asked; required for create.
             * @example What is the best tool for prerendering a single-page app?
             */
            promptText?: string | null;
            /**
             * @description Assistants that are asked; a new prompt has those that plan and settings allow unless given.
             * @example [
             *       "chatgpt",
             *       "gemini"
             *     ]
             */
            providers?: string[] | null;
            /**
             * @description At most 10, separated by commas: lower-case letters, digits and hyphens, 64 characters each.
             * @example docs,comparison
             */
            tags?: string | null;
        };
        /** @description A run with its question and everything that was found in its answer. */
        PromptRunDetails: components["schemas"]["PromptRunView"] & {
            /**
             * @description `model`, `builtin`, or empty while it was not analysed.
             * @example builtin
             */
            analysisMode: string;
            /**
             * Format: int64
             * @description Version of the brand profile that it was analysed with; 0: it was not.
             */
            analysisVersion: number;
            /**
             * Format: int64
             * @description Requests to the provider, but those that a rate limit refused.
             */
            calls: number;
            /** @description Sources that the answer cites, in their order. */
            citations: components["schemas"]["RunSource"][];
            /** @description The provider has not stated the whole cost. */
            costEstimated: boolean;
            /**
             * Format: double
             * @example 0.0182
             */
            costUsd: number;
            /** @description Sentence about the error. */
            errorDetail: string;
            /**
             * Format: int64
             * @description Rank of the own brand in the answer's first list of brands; null: there is none, or not with it.
             */
            listRank?: number | null;
            /**
             * @description Form in which the provider was told the place: `parameters`, `text` or `none`.
             * @example parameters
             */
            location: string;
            /** @description JSON, as it was asked. */
            personaLocation: string;
            /** @description Text that was asked. */
            promptText: string;
            /** @description Searches that the assistant ran. */
            queries: string[];
            /** @description The question was too long for a search and was cut. */
            queryCut: boolean;
            /**
             * @description `create`, `changed`, `activated`, `scheduled` or `manual`.
             * @example scheduled
             */
            reason: string;
            /** @description The answer recommends the own brand; null: it does not say. */
            recommended?: boolean | null;
            /** @description Sources that were found for the answer and not cited. */
            retrieved: components["schemas"]["RunSource"][];
            spans: components["schemas"]["RunSpan"][];
        };
        /** @description Runs, and the number of all that match. */
        PromptRunList: {
            /** @description The newest first. */
            runs: components["schemas"]["PromptRunView"][];
            summary: components["schemas"]["PromptRunSummary"];
        };
        /** @description Numbers of runs that match, whatever part of them is in the answer. */
        PromptRunSummary: {
            /**
             * @description Runs by status; a status that no run has is missing.
             * @example {
             *       "error": 5,
             *       "ok": 412,
             *       "queued": 3
             *     }
             */
            byStatus: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @example 420
             */
            total: number;
        };
        /** @description A run: one question to one assistant. */
        PromptRunView: {
            /** @description Sentence about the own brand in the answer. */
            analysisText: string;
            /**
             * Format: int64
             * @description Sources that the answer cites.
             * @example 4
             */
            citationCount: number;
            /**
             * @description JSON: domains that the answer cites.
             * @example ["g2.com"]
             */
            citationDomains: string;
            /**
             * @description JSON: competitors in the answer with the number of their mentions.
             * @example [{"name":"Notchly","count":2}]
             */
            competitorMentions: string;
            createdAt: components["schemas"]["Timestamp"];
            /**
             * @description UTC day of its slot.
             * @example 2026-11-20
             */
            dateUtc: string;
            /** @description The answer is invented. */
            demo: boolean;
            /**
             * @description Reason of an error: `refused`, `auth`, `config`, `timeout`, `unreadable`, `provider_error`, `lost` or
             *     `provider_unavailable`; empty otherwise.
             */
            errorCode: string;
            /**
             * @description `complete`, `truncated`, `absent_overview`, or empty while there is no answer.
             * @example complete
             */
            finish: string;
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            id: string;
            /**
             * Format: int64
             * @description Rank of the own brand among the brands of the answer, by first appearance; 0: not named.
             * @example 2
             */
            mentionPosition: number;
            promptId: string;
            /** @example chatgpt */
            provider: string;
            /** @description The answer, in Markdown. */
            rawResponse: string;
            /**
             * @description Search of the web: `used`, `not_used`, `off` (by the operator) or `unknown`.
             * @example used
             */
            retrieval: string;
            /**
             * Format: double
             * @description Tone towards the own brand, -1 to 1.
             * @example 0.4
             */
            sentiment: number;
            /**
             * @description Model that answered, by the provider's own word.
             * @example gpt-6-luna
             */
            servedModel: string;
            /**
             * @description `queued`, `running`, `answered` (its analysis is not complete), `ok` or `error`.
             * @example ok
             */
            status: string;
        };
        /** @description Statistics of one prompt in a window. */
        PromptStats: {
            /**
             * Format: int32
             * @description 1, or 0 for a paused prompt.
             * @example 1
             */
            active: number;
            /**
             * @example [
             *       "chatgpt",
             *       "perplexity"
             *     ]
             */
            aiProviders: string[];
            /**
             * Format: double
             * @description Mean rank among the brands of an answer, of the answers that name the brand, two decimals; 0 without one.
             * @example 2.4
             */
            avgPosition: number;
            /**
             * Format: double
             * @description Mean tone of the answers that name the brand, −1 to 1, two decimals; 0 without one.
             * @example 0.31
             */
            avgSentiment: number;
            /** @description The prompt names the own brand, so that no competitor can win it. */
            branded: boolean;
            /**
             * Format: double
             * @description Share of the answers that cite an own domain, in percent.
             * @example 23.1
             */
            citationRate: number;
            /**
             * Format: int32
             * @description From 0 to 100; −1 under three answers.
             * @example 71
             */
            difficulty: number;
            intent: components["schemas"]["PromptIntent"];
            /**
             * @description Time at which the last run was made that is over, in the window or not; null: none.
             * @example 2026-11-20T06:12:00Z
             */
            lastRunAt?: string | null;
            /**
             * Format: int64
             * @description Answers that name the own brand.
             * @example 5
             */
            mentions: number;
            promptId: string;
            /** @example What is the best documentation tool for startups? */
            promptText: string;
            range: components["schemas"]["DayRange"];
            /**
             * Format: int64
             * @description Answers: runs with the status ok, without overviews that Google did not show.
             * @example 13
             */
            responses: number;
            /**
             * @description Separated by commas.
             * @example docs,startup
             */
            tags: string;
            /** @description At most five, those that most answers name first. */
            topCompetitors: components["schemas"]["TopCompetitorItem"][];
            /**
             * Format: double
             * @description Share of voice of the competitor with the largest one, in percent.
             * @example 45.5
             */
            topCompetitorSharePct: number;
            /**
             * Format: double
             * @description Upper end.
             * @example 64.5
             */
            visibilityHigh?: number | null;
            /**
             * Format: double
             * @description Lower end of the 95 % Wilson interval of visibilityPercent; null without answers.
             * @example 17.7
             */
            visibilityLow?: number | null;
            /**
             * Format: double
             * @description mentions ÷ responses in percent, one decimal; 0 without answers.
             * @example 38.5
             */
            visibilityPercent: number;
        };
        /** @description Statistics of a domain's prompts. */
        PromptStatsList: {
            /** @description The oldest prompt first, paused ones too. */
            prompts: components["schemas"]["PromptStats"][];
            /** @description All of these prompts together. */
            summary: components["schemas"]["StatsSummary"];
        };
        /** @description A question and how it is asked. */
        PromptView: {
            /**
             * Format: int32
             * @description 1; 0: paused.
             * @example 1
             */
            active: number;
            /**
             * @example [
             *       "chatgpt",
             *       "gemini"
             *     ]
             */
            aiProviders: string[];
            /** @description The text names the own brand. */
            branded: boolean;
            createdAt: components["schemas"]["Timestamp"];
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            id: string;
            intent: components["schemas"]["PromptIntent"];
            monitorInterval: components["schemas"]["MonitorInterval"];
            /**
             * @description JSON; `{}` when nothing is said of the person who asks.
             * @example {"country":"DE"}
             */
            personaLocation: string;
            /** @example What is the best tool for prerendering a single-page app? */
            promptText: string;
            /**
             * @description Separated by commas.
             * @example docs,comparison
             */
            tags: string;
        };
        /**
         * @description State of a provider.
         * @enum {string}
         */
        ProviderCondition: "ok" | "paused" | "failing";
        /** @description Costs of an assistant. */
        ProviderCost: {
            /**
             * @description Identifier, or `analysis` for a server that only analyses.
             * @example chatgpt
             */
            provider: string;
            /**
             * Format: double
             * @example 0.42
             */
            usd: number;
        };
        /** @description Visits of a provider's crawlers. */
        ProviderCount: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description Who runs the crawlers.
             * @example google
             */
            provider: string;
        };
        /** @description Numbers of one assistant. */
        ProviderInsight: {
            /** Format: int64 */
            absentOverviews: number;
            /** Format: double */
            avgPosition?: number | null;
            /** Format: double */
            avgSentiment?: number | null;
            ci?: number[] | null;
            /** Format: double */
            citationRate?: number | null;
            /**
             * Format: int64
             * @description Runs that ended without an answer.
             */
            errors: number;
            /**
             * @description `failing`: more than a fifth of the runs ended without an answer; `paused`: nothing is asked at present; else `ok`.
             * @example ok
             */
            health: string;
            /** Format: int64 */
            mentions: number;
            /** Format: int64 */
            notRetrieved: number;
            /** @example chatgpt */
            provider: string;
            /** Format: int64 */
            responses: number;
            /** @description Models that answered, by the provider's own word. */
            servedModels: string[];
            /** Format: double */
            shareOfVoice?: number | null;
            verdict: components["schemas"]["SampleVerdict"];
            /** Format: double */
            visibilityPercent?: number | null;
        };
        ProviderList: {
            /** @description All assistants, in their order. */
            providers: components["schemas"]["ProviderStanding"][];
        };
        /** @description Numbers of one provider on a day. */
        ProviderPoint: {
            /**
             * Format: int64
             * @example 9
             */
            mentions: number;
            /**
             * Format: int64
             * @example 16
             */
            responses: number;
            /**
             * Format: double
             * @example 56.3
             */
            visibilityPercent: number;
        };
        /** @description Readiness of an assistant. */
        ProviderReadiness: {
            /** @example chatgpt */
            id: string;
            state: components["schemas"]["ProviderState"];
        };
        /** @description An assistant, as an account may ask it about a domain. */
        ProviderStanding: {
            available: boolean;
            /** @description No budget can pay a question to it now. */
            budgetSpent: boolean;
            /** @description Answers are invented. */
            demo: boolean;
            health: components["schemas"]["ProviderCondition"];
            /**
             * @description Model that is asked; of Google's overviews the source.
             * @example gpt-6-luna
             */
            model: string;
            pausedUntil?: components["schemas"]["Timestamp"] | null;
            /** @example chatgpt */
            provider: string;
            reason?: components["schemas"]["UnavailableReason"] | null;
            /**
             * @description `native`, or `chat`: a chat-completions server stands in.
             * @example native
             */
            style: string;
            /**
             * Format: double
             * @description US dollars that are reserved for one question.
             * @example 0.03
             */
            usdPerRun: number;
        };
        /**
         * @description State of an assistant.
         * @enum {string}
         */
        ProviderState: "ready" | "stand_in" | "no_key";
        /** @description Searches that assistants ran for a domain's prompts. */
        QueryList: {
            /** @description Searches in the order of their answers, most first. */
            queries: components["schemas"]["SearchItem"][];
            /**
             * Format: int64
             * @description Number of entries without limit and offset.
             * @example 312
             */
            total: number;
        };
        /** @description Runs that were queued. */
        QueuedRuns: {
            /**
             * @description Number of runs, those included that wait for a budget.
             * @example 3
             */
            queued: number;
        };
        /** @description Summary in words, from fixed templates. */
        QuickSummary: {
            bullets: components["schemas"]["SummaryBullet"][];
            headline: string;
            tone: components["schemas"]["SummaryTone"];
        };
        /** @description A page as its server sends it, without scripts. */
        RawView: {
            finalUrl: string;
            /**
             * Format: int64
             * @example 1840
             */
            htmlBytes: number;
            picture: components["schemas"]["ViewPicture"] | null;
            /**
             * Format: int32
             * @example 200
             */
            status: number;
            /** @description Visible text, at most 256 KiB. */
            text: string;
            /** Format: int64 */
            words: number;
        };
        /** @description Whether each part that requests need is usable. */
        Readiness: {
            browser: components["schemas"]["Part"];
            database: components["schemas"]["Part"];
            /** @description The store of snapshots. */
            objectStore: components["schemas"]["Part"];
            /** @description All parts are usable. */
            ok: boolean;
            /** @description Where visits of crawlers are kept. */
            visitStore: components["schemas"]["Part"];
        };
        /** @description Progress of analysing kept answers again. */
        RecomputeProgress: {
            /**
             * Format: int64
             * @description Answers that were analysed again.
             */
            done: number;
            /**
             * Format: int64
             * @description Answers that are to be.
             */
            total: number;
        };
        /**
         * @description State of a record at the last check.
         * @enum {string}
         */
        RecordState: "unchecked" | "found" | "missing" | "conflict" | "proxied" | "unknown";
        /** @description One redirect rule, as the settings hold it. */
        RedirectRule: {
            /**
             * @description Path that starts with one `/`, or an absolute http(s) URL; `$1`, `$2`, … are the wildcards.
             * @example /articles/$1
             */
            destination: string;
            /** @description Whether the request's query parameters are carried over. */
            preserveQuery?: boolean;
            /**
             * @description Path pattern; `*` is one segment, `**` at the end the rest. With `?`: one path and its whole query.
             * @example /blog/*
             */
            source: string;
            /**
             * Format: int32
             * @description 301 or 307.
             * @example 301
             */
            status?: number;
        };
        /** @description People whom an assistant sent to a page. */
        ReferralCount: {
            /**
             * @description Who runs the assistant.
             * @example openai
             */
            assistant: string;
            /**
             * Format: int64
             * @description How many people.
             */
            count: number;
            /**
             * @description Path of the page, without the query.
             * @example /pricing
             */
            path: string;
        };
        /** @description People who came from assistants. */
        ReferralList: {
            /**
             * Format: int64
             * @description How many people in all.
             */
            people: number;
            /** @description By assistant and page, most people first. */
            referrals: components["schemas"]["ReferralCount"][];
            /**
             * Format: int64
             * @description How many rows there are in all.
             */
            total: number;
        };
        /** @description A refresh interval for the paths that match a pattern. */
        RefreshRule: {
            /**
             * Format: int64
             * @description 60 s to 365 days.
             * @example 3600
             */
            intervalSeconds: number;
            /**
             * @description Which paths.
             * @example /blog/**
             */
            pattern: string;
        };
        /** @description A prompt of a list that was not created. */
        RefusedPrompt: {
            /**
             * @description Error code, as by creating it alone.
             * @example prompt_limit_reached
             */
            error: string;
            /**
             * @description Position in the list, from 0.
             * @example 4
             */
            index: number;
        };
        /** @description A domain that was removed. */
        RemovedDomain: {
            /**
             * @description `true`.
             * @example true
             */
            deleted: boolean;
        };
        /** @description How a domain's pages are rendered and how long they keep. */
        Rendering: {
            /**
             * @description Addresses that pages do not get to fetch; `*` is any run of characters.
             * @example [
             *       "*://ads.example/*"
             *     ]
             */
            blockedUrls: string[];
            /**
             * @description Names of the query parameters that are a part of a page's address; null: all but those of tracking.
             * @example [
             *       "page",
             *       "color"
             *     ]
             */
            queryParameters?: string[] | null;
            /**
             * Format: int64
             * @description Age at which a snapshot is rendered again, unless a rule says otherwise.
             * @example 86400
             */
            refreshIntervalSeconds: number;
            /** @description Other intervals for some paths; the most specific matching pattern wins. */
            refreshRules: components["schemas"]["RefreshRule"][];
            /** @description Whether only verified crawlers start renders at the edge. Others get what is stored, else the origin. */
            verifiedCrawlersOnly?: boolean;
            /**
             * @description CSS selector that must match before a page counts as ready.
             * @example #main article
             */
            waitForSelector?: string | null;
        };
        /** @description Changes to how a domain's pages are rendered. Fields that are left out stay as they are. */
        RenderingChange: {
            /**
             * @description Replaces the addresses that pages do not get to fetch; at most 100.
             * @default null
             */
            blockedUrls: string[] | null;
            /**
             * @description Names of the query parameters that are a part of a page's address, at most 50; null: all but those of tracking.
             * @default null
             */
            queryParameters: string[] | null;
            /**
             * Format: int64
             * @description Age at which a snapshot is rendered again: 60 s to 365 days.
             * @default null
             * @example 86400
             */
            refreshIntervalSeconds: number | null;
            /**
             * @description Replaces the rules; at most 50.
             * @default null
             */
            refreshRules: components["schemas"]["RefreshRule"][] | null;
            /**
             * @description Whether only verified crawlers start renders at the edge.
             * @default null
             */
            verifiedCrawlersOnly: boolean | null;
            /**
             * @description CSS selector that must match before a page counts as ready; null: none.
             * @default null
             * @example #main article
             */
            waitForSelector: string | null;
        };
        /** @description Something that can be done. */
        ReportAction: {
            detail: string;
            domains: string[];
            evidence: Record<string, never>;
            /**
             * @description Equal for the same finding in other reports, so that it can be dismissed.
             * @example source_opportunity:g2.com
             */
            id: string;
            /**
             * Format: int32
             * @description From 0 to 100.
             */
            impact: number;
            kind: components["schemas"]["ActionKind"];
            promptIds: string[];
            providers: string[];
            severity: components["schemas"]["ActionSeverity"];
            title: string;
        };
        /** @description The brand that a report is about. */
        ReportBrand: {
            aliases: string[];
            name: string;
            siteUrl: string;
        };
        /** @description A change between an answer of a prompt and assistant and the one before. */
        ReportChange: {
            /** @description The next answer agrees. Only such changes become actions, messages and lines of a digest. */
            confirmed: boolean;
            /** @description `YYYY-MM-DD`. */
            date: string;
            /** @description Rank before, 0: not named; or the model before; null for a new competitor. */
            from?: string | null;
            promptId: string;
            provider: string;
            /** @description Rank after, 0: not named; or the model or competitor. */
            to?: string | null;
            type: components["schemas"]["ChangeKind"];
        };
        /** @description Sample of a report. */
        ReportCoverage: {
            /**
             * Format: int64
             * @description Overviews that Google did not show; no responses.
             */
            absentOverviews: number;
            /**
             * Format: double
             * @description Share of responses that name any brand, from 0 to 1 with three decimals. Null without responses.
             */
            informativeRate?: number | null;
            /**
             * Format: int64
             * @description Responses for which the assistant did not search.
             */
            notRetrieved: number;
            /**
             * Format: int64
             * @description Prompts that were asked in the period.
             */
            promptCount: number;
            /** Format: int64 */
            providerCount: number;
            /** Format: int64 */
            responses: number;
            runs: components["schemas"]["ReportRuns"];
            verdict: components["schemas"]["SampleVerdict"];
        };
        /** @description A number with its sample. */
        ReportFigure: {
            /** @description 95 % interval of a rate, in percent. Null for means, and without a sample. */
            ci?: number[] | null;
            /**
             * Format: double
             * @description Difference from the period before. Null when that had fewer than five.
             */
            delta?: number | null;
            /** @description The intervals of both periods do not overlap. */
            isSignificant: boolean;
            /**
             * Format: int64
             * @description Responses, mentions or named brands that the number is computed from.
             */
            n: number;
            /**
             * Format: double
             * @description Null: nothing to compute it from.
             */
            value?: number | null;
        };
        /** @description A visibility report as it is stored. */
        ReportItem: {
            createdAt: components["schemas"]["Timestamp"];
            /**
             * @description Last day of the seven that the report covers, `YYYY-MM-DD`.
             * @example 2026-11-17
             */
            dateUtc: string;
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            id: string;
            /**
             * @description JSON in its canonical form. Fields: schema `VisibilityReport`, version `v3`.
             * @example {"analysisVersion":1,"domain":"lumadocs.io","version":"v3"}
             */
            reportJson: string;
            /**
             * @description Text of legacy reports; otherwise empty.
             * @example
             */
            reportMarkdown: string;
            /**
             * @description `auto`; legacy reports: `daily` or `weekly`.
             * @example auto
             */
            reportType: string;
            /**
             * @description First day of the seven; null in some legacy reports.
             * @example 2026-11-11
             */
            weekStartUtc?: string | null;
        };
        ReportList: {
            /** @description Newest first. */
            reports: components["schemas"]["ReportItem"][];
            todayStatus: components["schemas"]["TodayStatus"];
        };
        /** @description Definitions behind the numbers. */
        ReportMethodology: {
            citation: string;
            /** @description Way in which answers are collected. */
            collection: string;
            comparison: string;
            confirmation: string;
            denominator: string;
            /** @description Version of the formulas. */
            formulas: string;
            intervals: string;
            limits: string;
            mention: string;
            position: string;
            rounding: string;
            sampling: string;
            sentiment: string;
            sovUnit: string;
        };
        /** @description Days of a report and of the comparison, `YYYY-MM-DD`, inclusive. */
        ReportPeriod: {
            /** Format: int32 */
            days: number;
            from: string;
            previousFrom: string;
            previousTo: string;
            to: string;
        };
        /** @description Runs of a period by their state. */
        ReportRuns: {
            /** Format: int64 */
            error: number;
            /** Format: int64 */
            ok: number;
            /**
             * Format: int64
             * @description Queued, running or answered.
             */
            pending: number;
            /** Format: int64 */
            total: number;
        };
        /** @description Tone of the responses that name the brand. */
        ReportSentiment: {
            /**
             * Format: double
             * @description From −1 to 1.
             */
            avg?: number | null;
            /** Format: int64 */
            negative: number;
            /** @description Lowest tone first, at most ten. */
            negativeExcerpts: components["schemas"]["SentimentExcerpt"][];
            /** Format: int64 */
            neutral: number;
            /** Format: int64 */
            positive: number;
        };
        /** @description Pages that answers cite. */
        ReportSources: {
            /** Format: double */
            competitorPct?: number | null;
            /** @description Domains that answers cite most often, at most 100. */
            domains: components["schemas"]["SourceShare"][];
            /** @description Own pages that answers cite most often, at most 20. */
            ownPages: components["schemas"]["OwnPageInsight"][];
            /** Format: double */
            ownPct?: number | null;
            /** Format: double */
            thirdPartyPct?: number | null;
            /**
             * Format: int64
             * @description Citations: distinct addresses of each answer, added up.
             */
            total: number;
        };
        /** @description Numbers of a period, each compared with the period before. */
        ReportStats: {
            /** @description Mean rank where the brand is named. */
            avgPosition: components["schemas"]["ReportFigure"];
            /** @description Mean tone where the brand is named, from −1 to 1. */
            avgSentiment: components["schemas"]["ReportFigure"];
            /** @description Share of responses that cite an own page, in percent. */
            citationRate: components["schemas"]["ReportFigure"];
            /**
             * Format: double
             * @description Share of responses that name the brand first, in percent. Null without responses.
             */
            firstPositionPercent?: number | null;
            /** @description Share of responses that recommend the brand among those that tell, in percent. */
            recommendedPercent: components["schemas"]["ReportFigure"];
            /** @description The brand's share of all brands that responses name, in percent. */
            shareOfVoice: components["schemas"]["ReportFigure"];
            /** @description Share of voice in the answers to prompts that do not name the brand. */
            shareOfVoiceNonBranded: components["schemas"]["ReportFigure"];
            /** Format: int64 */
            totalCitations: number;
            /** Format: int64 */
            totalMentions: number;
            /** @description Share of responses that name the brand, in percent. */
            visibilityPercent: components["schemas"]["ReportFigure"];
        };
        /**
         * @description What became of a robots.txt.
         * @enum {string}
         */
        RobotsState: "read" | "missing" | "unreachable";
        /** @description Visits to pages that robots.txt forbids. */
        RobotsViolations: {
            /** @description What became of the site's robots.txt: without `read` there are no rules to hold visits against. */
            robots: components["schemas"]["RobotsState"];
            /** @description How many there are among the 50,000 pairs of a crawler and a page that have the most visits. */
            total: number;
            /** @description Most visits first. Of pages that were counted together, and of bots that nobody knows, nothing can be said. */
            violations: components["schemas"]["ForbiddenVisits"][];
        };
        /** @description An address to try, and settings that take the place of the stored ones. */
        RuleTest: {
            /**
             * @description Sender of a request.
             * @enum {string}
             */
            as: "crawler" | "person";
            /**
             * @description Path patterns, one per line.
             * @example /admin/**
             */
            ignorePaths?: string | null;
            preferredHost?: components["schemas"]["PreferredHost"] | null;
            redirectRules?: components["schemas"]["RedirectRule"][] | null;
            /**
             * @description Address on the domain or its `www.` twin.
             * @example https://shop.example/old/shoes
             */
            url: string;
        };
        /** @description Answer of the edge to a tried address. */
        RuleTestResult: {
            decision: components["schemas"]["EdgeDecision"];
            /** @description Problems of the given settings. What has one plays no part. */
            issues: components["schemas"]["Issue"][];
            /**
             * @description Address that a redirect leads to, or where the site's own server is asked.
             * @example https://shop.example/new/shoes
             */
            location: string | null;
            /** @description Line of the ignored paths that matches. */
            pattern: string | null;
            reason: components["schemas"]["EdgeReason"];
            /**
             * @description Position of the redirect rule, from 0.
             * @example 0
             */
            rule: number | null;
            /**
             * Format: int32
             * @description Status of a redirect.
             * @example 301
             */
            status: number | null;
            /** @description A snapshot of the page is stored. */
            stored: boolean;
        };
        /** @description A run with its pages. Written piece by piece: see [`details`]. */
        RunDetails: {
            /** @description Pages that carry each issue, over the whole run; only with `offset` 0 and without `search`, else null. */
            issueBreakdown?: Record<string, never> | null;
            pages: components["schemas"]["PageRow"][];
            /** @description How many pages match. */
            pageTotal: number;
            run: components["schemas"]["RunView"];
        };
        /** @description Issues of the last runs of a domain. */
        RunIssues: {
            /** @description Issues that any of them found, by id. */
            issues: components["schemas"]["IssueCounts"][];
            /** @description Up to ten runs with results, the oldest first, the run itself last. */
            runs: components["schemas"]["RunOfIssues"][];
        };
        RunList: {
            /** @description The newest first, at most 50. */
            runs: components["schemas"]["RunView"][];
        };
        /** @description A run whose issues are counted. */
        RunOfIssues: {
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            runId: string;
            /**
             * Format: int64
             * @description Epoch milliseconds.
             * @example 1795176000000
             */
            startedAt: number;
        };
        /** @description How far a run is. */
        RunProgress: {
            /** @description Why it ended; empty while it runs. */
            closeReason: string;
            /**
             * Format: int64
             * @description Epoch milliseconds; null while it runs.
             */
            completedAt?: number | null;
            /**
             * Format: int64
             * @description HTML pages so far.
             */
            pagesCrawled: number;
            /**
             * Format: int64
             * @description Pictures, scripts and links to other hosts that are still asked for, for five minutes at most.
             */
            probesWaiting: number;
            runId: string;
            status: components["schemas"]["RunStatus"];
            /**
             * Format: int64
             * @description Addresses that wait.
             */
            waiting: number;
        };
        /** @description Answers that are wanted now. */
        RunRequest: {
            /**
             * @description Assistants of the prompt; all of them unless given.
             * @default null
             * @example [
             *       "chatgpt"
             *     ]
             */
            providers: string[] | null;
            /**
             * Format: int64
             * @description Answers of each assistant; 1 unless given. More of them say how much answers differ by chance.
             * @default null
             * @example 3
             */
            samples: number | null;
        };
        /** @description A source of an answer. */
        RunSource: {
            /**
             * @description Registrable domain.
             * @example g2.com
             */
            domain: string;
            /**
             * @description `own`, `competitor` or `third_party`.
             * @example third_party
             */
            kind: string;
            /** @description Empty when the provider gives none. */
            title: string;
            /** @example https://g2.com/categories/prerendering */
            url: string;
        };
        /** @description An occurrence of a brand in an answer, in Unicode code points of `rawResponse`. */
        RunSpan: {
            /**
             * @description First code point after it.
             * @example 24
             */
            end: number;
            /**
             * @description `own` or `competitor`.
             * @example competitor
             */
            kind: string;
            /** @example Notchly */
            name: string;
            /** @example 17 */
            start: number;
        };
        /**
         * @description Where a run is.
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "success" | "limit_reached" | "partial" | "error";
        /** @description A run as the API shows it. */
        RunView: {
            /**
             * @description `finished`, `url_limit`, `time_limit`, `cancelled`, `crashed` or `unreachable`; empty while it runs.
             * @example finished
             */
            closeReason: string;
            /**
             * Format: int64
             * @description Epoch milliseconds; null while it runs.
             */
            completedAt?: number | null;
            /** @description How the crawl went. */
            crawlStats: Record<string, never>;
            /**
             * Format: double
             * @description Change since the previous run.
             */
            deltaHealth: number;
            /**
             * Format: int64
             * @description Change since the previous run. Pages of that run that this one did not visit count with what was found then.
             */
            deltaIssues: number;
            /** @example shop.example */
            domain: string;
            /** @description Why it has no results, or ended early. */
            errorMessage?: string | null;
            /** @description The schedule's, if that started it; else `manual`. */
            frequency: components["schemas"]["Frequency"];
            /**
             * Format: double
             * @description 0 to 100, one decimal: the pages' health weighted by the links to them, the share of pages without errors, less what
             *     is wrong with the site as a whole.
             */
            healthScore: number;
            /** @description The page limit ended it. */
            hitUrlLimit: boolean;
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            id: string;
            /**
             * Format: int64
             * @description Findings: for each issue the number of rows that carry it, 1 for one about the site.
             */
            issueCount: number;
            /** @description It was cut off, and has not gone on yet. */
            needsContinuation: boolean;
            /**
             * Format: int64
             * @description HTML pages that answered 200.
             */
            pagesCrawled: number;
            /** @description What robots.txt says, and to whom. */
            robotsAnalysis: Record<string, never>;
            /**
             * Format: int64
             * @description How many runs the domain has had, this one included.
             */
            runCount: number;
            /** @description What is wrong with the sitemaps; in the details of a run only. */
            sitemapIssues?: Record<string, never>[] | null;
            /**
             * Format: int64
             * @description Epoch milliseconds.
             * @example 1795176000000
             */
            startedAt: number;
            status: components["schemas"]["RunStatus"];
            /** @description Who started it. */
            trigger: components["schemas"]["Trigger"];
        };
        /**
         * @description Size of a sample.
         * @enum {string}
         */
        SampleVerdict: "no_data" | "exploratory" | "thin_sample" | "ok";
        /** @description A text that assistants searched for. */
        SearchItem: {
            /**
             * Format: int64
             * @description Answers for which it was searched.
             * @example 12
             */
            answers: number;
            /**
             * Format: int64
             * @description Answers among them that name the own brand.
             * @example 4
             */
            namedIn: number;
            /** @description At most 100. */
            promptIds: string[];
            /**
             * @example [
             *       "chatgpt"
             *     ]
             */
            providers: string[];
            /** @example best documentation tool for startups */
            query: string;
            /** @description A prompt of the domain has this text. */
            tracked: boolean;
        };
        /** @description Pages that contain something, or do not, under a name. */
        SearchRule: {
            /**
             * @description `text` unless given: what a reader sees; `source`: the markup.
             * @example text
             */
            in?: string;
            /** @description The pages without it are found. */
            inverted?: boolean;
            /**
             * @description The name under which the search stands with the pages that it finds.
             * @example phone number
             */
            name: string;
            /**
             * @description `raw`, or `rendered` unless given.
             * @example rendered
             */
            of?: string;
            /** @description Regular expression that is looked for instead. */
            regex?: string | null;
            /** @description The text that is looked for, in any case. */
            text?: string | null;
        };
        /** @description A header that the audit sends. */
        SentHeader: {
            /** @example x-staging-token */
            name: string;
            /** @description Its value. Never shown again. */
            value: string;
        };
        /** @description Sentence of an answer that speaks badly of the brand. The text is a stranger's. */
        SentimentExcerpt: {
            provider: string;
            quote: string;
            runId: string;
        };
        /** @description A redirect rule as it is sent. */
        SentRedirect: {
            /**
             * @description Path that starts with one `/`, or an absolute http(s) URL; `$1`, `$2`, … are the wildcards.
             * @example /articles/$1
             */
            destination: string;
            /**
             * @description Whether the request's query parameters are carried over.
             * @default true
             */
            preserveQuery: boolean;
            /**
             * @description Path pattern; `*` is one segment, `**` at the end the rest. With `?`: one path and its whole query.
             * @example /blog/*
             */
            source: string;
            /**
             * Format: int32
             * @description 301 or 307.
             * @default 301
             */
            status: number;
        };
        /** @description What an audit says about a page. */
        SeoSpider: {
            latestRun: components["schemas"]["AuditRun"] | null;
            /** @description The page in it. */
            page: components["schemas"]["AuditedPage"];
        };
        /**
         * @description How a visit was answered.
         * @enum {string}
         */
        ServedBy: "cache" | "render" | "origin";
        /** @description Visits answered one way. */
        ServedByCount: {
            /**
             * Format: int64
             * @description How many visits.
             */
            count: number;
            /**
             * @description `cache`, `render`, and `origin` when it was asked for.
             * @example cache
             */
            servedBy: string;
        };
        /** @description Who is signed in. */
        SessionInfo: {
            /** @description What calls that change something must send as `x-csrf-token`. */
            csrfToken: string;
            /**
             * @description E-mail address of the account.
             * @example owner@shop.example
             */
            email: string;
            plan: components["schemas"]["Plan"];
        };
        /** @description Changes to a domain's settings. Fields that are left out stay as they are; lists are replaced as a whole. */
        SettingsChange: {
            /** @description Replaces all rules; at most 10. */
            customResponseHeaders?: components["schemas"]["HeaderRule"][];
            /**
             * @description Path patterns that are never prerendered, one per line, at most 500; empty: none.
             * @example /admin/**
             *     /cart
             */
            ignorePaths?: string;
            /** @description Whether a page that was never rendered is rendered when a crawler asks for it. */
            onDemandRenderEnabled?: boolean;
            /**
             * @description Host, and port if it is not the usual one, that answers for people. A whole address is cut down to them.
             * @example shop.lovable.app
             */
            originHost?: string;
            preferredHost?: components["schemas"]["PreferredHost"] | null;
            /** @description Replaces all rules. How many there may be depends on the plan. */
            redirectRules?: components["schemas"]["SentRedirect"][];
        };
        /** @description Whether a domain's crawl statistics are shared. */
        Sharing: {
            createdAt: components["schemas"]["Timestamp"] | null;
            /** @description Whether there is a token. */
            enabled: boolean;
            /** @description Its last four characters. */
            last4: string | null;
        };
        /** @description Something that happened to a site. */
        SiteChange: {
            /**
             * Format: double
             * @description Health or rate after.
             * @example 87.4
             */
            after: number | null;
            /**
             * Format: double
             * @description Health or rate before.
             * @example 85.3
             */
            before: number | null;
            /**
             * Format: int64
             * @description Number of the things meant: findings, pages, snapshots, answers.
             * @example 12
             */
            count: number | null;
            /**
             * @description UTC day, `YYYY-MM-DD`.
             * @example 2026-11-20
             */
            date: string;
            /**
             * @description Path in the dashboard.
             * @example /d/shop.example/crawlers
             */
            href: string;
            kind: components["schemas"]["SiteChangeKind"];
            /**
             * @description Run, batch, report, provider or name of the crawler that the change is about.
             * @example GPTBot
             */
            subject: string | null;
        };
        /**
         * @description Kind of a change.
         * @enum {string}
         */
        SiteChangeKind: "connected" | "audit_finished" | "refresh_finished" | "crawler_first_seen" | "pages_first_seen" | "snapshots_failed" | "visibility_changed" | "first_named" | "report_ready";
        /** @description Outcome of one check. */
        SiteCheckResult: {
            /** @description One or two sentences on what was seen. */
            detail: string;
            /** @example crawler_snapshot */
            id: string;
            /** @description Nothing was found. Also true where the check could not judge; `detail` says so. */
            ok: boolean;
            /** @description Remedy on the platform that was recognised; null when nothing was found. */
            remedy: string | null;
        };
        /** @description Sites of an account. */
        SiteList: {
            sites: components["schemas"]["SiteRow"][];
            /**
             * @description Number of sites that match, whatever limit and offset.
             * @example 12
             */
            total: number;
        };
        /** @description What to do with the sitemap. Nothing at all: read the stored one again. */
        SitemapRequest: {
            /** @description Whether the stored address is read again. */
            refresh?: boolean;
            /**
             * @description A new address, read before it is stored; empty: none from now on. The stored one: nothing is done without `refresh`.
             * @example https://shop.example/sitemap.xml
             */
            sitemapUrl?: string;
        };
        /** @description A site at a glance. */
        SiteOverview: {
            /** @description Things that need attention, the most urgent first, at most five. What is dismissed is left out. */
            attention: components["schemas"]["AttentionEntry"][] | null;
            /** @description Changes of the last 14 days, the newest first, at most 20. */
            changes: components["schemas"]["SiteChange"][] | null;
            /** @description Own pages that most answers cite, at most five. */
            citedPages: components["schemas"]["OverviewCitedPage"][] | null;
            /**
             * Format: int32
             * @description Days that the numbers are about, today included.
             * @example 30
             */
            days: number;
            /** @description The site is the demo of this installation: its visits and answers are made up. */
            demo: boolean;
            /** @example shop.example */
            domain: string;
            health: components["schemas"]["OverviewHealth"] | null;
            people: components["schemas"]["OverviewPeople"] | null;
            served: components["schemas"]["OverviewServed"] | null;
            snapshots: components["schemas"]["OverviewSnapshots"] | null;
            status: components["schemas"]["DomainStatus"];
            /** @description Names of the parts that could not be read, which are null. */
            unavailable: string[];
            visibility: components["schemas"]["OverviewVisibility"] | null;
            visits: components["schemas"]["OverviewVisits"] | null;
        };
        /**
         * @description What was done for a site.
         * @example {
         *       "accepted": true,
         *       "batchGroupId": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
         *       "ok": true
         *     }
         * @example {
         *       "accepted": false,
         *       "batchGroupId": "",
         *       "error": "no_sitemap",
         *       "ok": false
         *     }
         */
        SiteReply: {
            /**
             * @description Whether work was queued (variant `rerender`).
             * @example true
             */
            accepted?: boolean | null;
            /**
             * @description Names the work, for `GET /api/prerender/batches/{batchGroupId}`; empty when there is none (variant `rerender`).
             * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
             */
            batchGroupId?: string | null;
            /**
             * Format: int64
             * @description How many stored pages were deleted (variant `purge`).
             */
            deleted?: number | null;
            error?: components["schemas"]["Cause"] | null;
            /** @description Whether it worked; `false` comes with `error`. */
            ok: boolean;
            /** @description Where the paths came from: `sitemap` or `snapshots` (variant `purge`). */
            pathSource?: string | null;
            /**
             * Format: int64
             * @description How many renders were queued (variant `purge`).
             */
            queued?: number | null;
            /**
             * Format: int64
             * @description How many paths there were (variant `purge`).
             */
            totalPaths?: number | null;
        };
        /** @description Outcome of a verification. */
        SiteReport: {
            /** @description Every check, in an order that never changes. */
            checks: components["schemas"]["SiteCheckResult"][];
            /**
             * @description Crawler that was imitated.
             * @example Googlebot
             */
            crawler: string;
            /** @description No check found anything. */
            ok: boolean;
            /**
             * @description Network or server that answers for the site, as far as its headers tell; null: unknown.
             * @example Cloudflare
             */
            platform: string | null;
            /**
             * @description Address that was asked.
             * @example https://shop.example/
             */
            url: string;
        };
        /** @description Asks for the pages of a sitemap. */
        SiteRequest: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /**
             * @description `false`: nothing happens. Default `true` (variant `purge`: `false`, and then the pages are only deleted).
             * @example true
             */
            prewarm?: boolean | null;
            /**
             * @description Sitemap to read instead of the stored one.
             * @example https://shop.example/sitemap.xml
             */
            sitemapUrl?: string | null;
        };
        /** @description A site in a list. */
        SiteRow: {
            /**
             * Format: int64
             * @description Number of things that need attention.
             */
            attention: number;
            /** @description Visits of each day, the last one today. */
            daily: number[];
            /**
             * Format: double
             * @description Change since the audit before; null: there is none.
             * @example 2.1
             */
            deltaHealth: number | null;
            /** @description The site is the demo of this installation: its visits and answers are made up. */
            demo: boolean;
            /** @example shop.example */
            domain: string;
            /**
             * Format: int64
             * @description Findings of severity error in the last audit; null: there is none.
             * @example 18
             */
            errors: number | null;
            /**
             * Format: double
             * @description Health by the last audit with results, 0 to 100; null: there is none.
             * @example 87.4
             */
            healthScore: number | null;
            /**
             * Format: int64
             * @description Visits of as many days before; null: visits were not counted on all of those days.
             */
            previousVisits: number | null;
            status: components["schemas"]["DomainStatus"];
            /**
             * Format: double
             * @description Percent of the answers that name the brand; null: there are no answers.
             * @example 43.6
             */
            visibilityRate: number | null;
            /**
             * Format: int64
             * @description Visits of crawlers, those that the origin answered included.
             * @example 11303
             */
            visits: number;
        };
        /** @description A stored snapshot, as `GET /api/prerender/snapshots` lists it. */
        Snapshot: {
            /**
             * Format: int64
             * @description Seconds since then.
             * @example 3600
             */
            ageSeconds: number;
            /** @description When it was rendered. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Weak etag of the HTML. */
            etag: string;
            /**
             * Format: int64
             * @example 48213
             */
            htmlBytes: number;
            /**
             * Format: int64
             * @description Seconds for which it counts as fresh.
             * @example 86400
             */
            intervalSeconds: number;
            /** @description What went wrong when it was last rendered again. */
            lastError?: string | null;
            lastErrorAt?: components["schemas"]["Timestamp"] | null;
            /** @description Where a redirecting page leads. */
            location?: string | null;
            /**
             * @description Its path and query.
             * @example /shoes
             */
            path: string;
            /**
             * Format: int64
             * @description How long the render took.
             * @example 180
             */
            renderMs: number;
            /** @description Key of the object that holds the HTML. */
            snapshotKey: string;
            /** @description Whether it is older than its refresh interval. */
            stale: boolean;
            /** @description `failing`, when its last render failed; else by its age. */
            state: components["schemas"]["SnapshotState"];
            /**
             * Format: int32
             * @description The page's own status.
             * @example 200
             */
            status: number;
            /**
             * @description The address that was rendered.
             * @example https://shop.example/shoes
             */
            url: string;
        };
        /** @description Snapshots of each state. */
        SnapshotCounts: {
            /**
             * Format: int64
             * @description Snapshots whose last render failed.
             */
            failing: number;
            /**
             * Format: int64
             * @description Snapshots younger than their refresh interval.
             */
            fresh: number;
            /**
             * Format: int64
             * @description Snapshots older than their refresh interval.
             */
            stale: number;
        };
        /** @description Stored snapshots. */
        SnapshotList: {
            /** @description Numbers by state of all that match the search, whatever state is asked for. */
            counts: components["schemas"]["SnapshotCounts"];
            /** @description Newest first, unless another order is asked for. */
            snapshots: components["schemas"]["Snapshot"][];
            /**
             * Format: int64
             * @description Number of snapshots that match.
             * @example 1
             */
            total: number;
        };
        /**
         * @description Age of a snapshot, measured by its refresh interval.
         * @enum {string}
         */
        SnapshotState: "fresh" | "stale" | "failing";
        /** @description A site or page that answers cite, or that was found for them. */
        SourceItem: (components["schemas"]["OwnPage"] | null) & {
            /**
             * Format: int64
             * @description Answers that cite it.
             * @example 41
             */
            answers: number;
            /**
             * Format: int64
             * @description Cited addresses: a site may have several in one answer.
             * @example 52
             */
            citations: number;
            /**
             * @description Registrable domain, with `by=domain`.
             * @example g2.com
             */
            domain?: string | null;
            /**
             * @description First day of the window on which it was cited or found.
             * @example 2026-10-22
             */
            firstDate: string;
            /**
             * Format: int64
             * @description Answers that cite it and name a brand, but not the own one.
             * @example 31
             */
            gapAnswers: number;
            /**
             * @description `own`, `competitor` or `third_party`.
             * @example third_party
             */
            kind: string;
            /** @example 2026-11-20 */
            lastDate: string;
            /** @description Prompts in whose answers it is, at most 100. */
            promptIds: string[];
            /**
             * @example [
             *       "chatgpt",
             *       "perplexity"
             *     ]
             */
            providers: string[];
            /**
             * Format: int64
             * @description Addresses that were found for an answer, which does not cite them.
             * @example 17
             */
            retrieved: number;
            /**
             * Format: double
             * @description Share of all citations of the window, in percent.
             * @example 8.4
             */
            sharePct: number;
            /**
             * @description Address, with `by=page`.
             * @example https://g2.com/categories/knowledge-base
             */
            url?: string | null;
        };
        /** @description Sources of a domain's answers. */
        SourceList: {
            /** @description Sources in the order of the answers that cite them, most first. */
            sources: components["schemas"]["SourceItem"][];
            /**
             * Format: int64
             * @description Number of entries without limit and offset.
             * @example 188
             */
            total: number;
        };
        /** @description Citations of one site. */
        SourceShare: {
            domain: string;
            /** @description `own`, `competitor` or `third_party`. */
            kind: string;
            /**
             * Format: int64
             * @description Responses that cite the site.
             */
            responses: number;
            /**
             * Format: double
             * @description Share of all citations.
             */
            sharePct: number;
        };
        /** @description A run that was started. */
        Started: {
            /** @description Always true. */
            ok: boolean;
            /** @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10 */
            runId: string;
            /** @description `running`. */
            status: components["schemas"]["RunStatus"];
        };
        /** @description What is to be audited. */
        StartRequest: {
            /** @description Templates with many pages are sampled; true unless given. */
            allowSampling?: boolean | null;
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /** @description `follow`: links from `urls`; `selected`: only `urls`; `sitemap`: what the sitemap lists. */
            mode: components["schemas"]["Mode"];
            /** @description Only pages that are new or changed since the last completed run, in sitemap mode; false unless given. */
            newPagesOnly?: boolean | null;
            /**
             * @description Overrides the domain's sitemap.
             * @example https://shop.example/sitemap.xml
             */
            sitemapUrl?: string | null;
            /**
             * @description Addresses on the domain: where links are followed from, or all there is to audit. At least one.
             * @example [
             *       "https://shop.example/"
             *     ]
             */
            urls: string[];
        };
        /** @description Statistics of all prompts together. */
        StatsSummary: {
            /**
             * Format: int64
             * @description Overviews that Google did not show; no answers.
             * @example 31
             */
            absentOverviews: number;
            /**
             * Format: double
             * @example 2.1
             */
            avgPosition: number;
            /**
             * Format: double
             * @example 0.34
             */
            avgSentiment: number;
            /**
             * Format: double
             * @example 19.2
             */
            citationRate: number;
            range: components["schemas"]["DayRange"];
            /**
             * Format: double
             * @description Own mentions ÷ mentions of all brands, each once an answer, in percent.
             * @example 28.4
             */
            shareOfVoice: number;
            topCompetitor: components["schemas"]["TopCompetitorSummary"];
            /** @description At most five, those that most answers name first. */
            topCompetitors: components["schemas"]["TopCompetitorItem"][];
            /**
             * Format: int64
             * @description Cited addresses, each once an answer.
             * @example 9120
             */
            totalCitations: number;
            /**
             * Format: int64
             * @example 1051
             */
            totalMentions: number;
            /**
             * Format: int64
             * @example 2412
             */
            totalResponses: number;
            /**
             * Format: int64
             * @description Mentions of all brands, each once an answer.
             * @example 3701
             */
            totalVoices: number;
            /**
             * Format: double
             * @description Upper end.
             * @example 45.6
             */
            visibilityHigh?: number | null;
            /**
             * Format: double
             * @description Lower end of the 95 % Wilson interval of visibilityRate; null without answers.
             * @example 41.6
             */
            visibilityLow?: number | null;
            /**
             * Format: double
             * @description totalMentions ÷ totalResponses in percent, one decimal; 0 without answers.
             * @example 43.6
             */
            visibilityRate: number;
        };
        /** @description A prompt that could be monitored. */
        SuggestionItem: {
            /**
             * @description Sentence that says where it comes from.
             * @example Assistants searched for it for 12 answers, 4 of which name LumaDocs.
             */
            evidence: string;
            intent: components["schemas"]["PromptIntent"];
            /** @example best documentation tool for startups */
            promptText: string;
            source: components["schemas"]["SuggestionSource"];
        };
        /** @description Prompts that could be monitored. */
        SuggestionList: {
            /** @description None of them is a prompt of the domain. */
            suggestions: components["schemas"]["SuggestionItem"][];
            /**
             * @description Number of entries without limit and offset.
             * @example 87
             */
            total: number;
        };
        /**
         * @description Origin of a suggestion.
         * @enum {string}
         */
        SuggestionSource: "query" | "page" | "visits" | "brand" | "term";
        /** @description Crawler visits in short. */
        Summary: {
            /** @description What the cache saved. */
            crawlBudgetSaved: components["schemas"]["CrawlBudget"];
            /** @description The domain is the demo of this installation, whose visits are made up. Missing for every other domain. */
            demo?: boolean;
            /**
             * Format: int64
             * @description Pages that a crawler visited for the first time ever.
             */
            newPagesCrawled: number;
            topLlmCrawler: components["schemas"]["ProviderCount"] | null;
            topSearchCrawler: components["schemas"]["ProviderCount"] | null;
            /**
             * Format: int64
             * @description Visits answered with a snapshot.
             */
            totalCrawlsServed: number;
            /**
             * Format: int64
             * @description Pages that were visited.
             */
            totalPagesCrawled: number;
        };
        /** @description One line of a summary. */
        SummaryBullet: {
            /** @example best_provider */
            id: string;
            text: string;
            tone: components["schemas"]["SummaryTone"];
        };
        /** @enum {string} */
        SummaryTone: "positive" | "neutral" | "caution" | "negative";
        /** @description A view that is being taken. */
        TakenView: {
            id: components["schemas"]["ViewId"];
            state: components["schemas"]["ViewState"];
        };
        /** @description Search terms that could become prompts. */
        TermsBody: {
            /** @example lumadocs.io */
            domain: string;
            /**
             * @description At most 5,000 terms of at most 2,000 characters.
             * @example [
             *       "best documentation tool",
             *       "knowledge base with sso"
             *     ]
             */
            terms: string[];
        };
        /** @description A number by which checks fire. */
        ThresholdEntry: {
            /** @description What it means. */
            about: string;
            /**
             * Format: double
             * @description What it is unless a domain has another.
             */
            default: number;
            /** @description Issues that depend on it. */
            issues: string[];
            /**
             * Format: double
             * @description The most that it may be.
             */
            max: number;
            /**
             * Format: double
             * @description The least that it may be.
             */
            min: number;
            /**
             * @description Its name in a domain's `thresholds`.
             * @example titleMaxCharacters
             */
            name: string;
        };
        /** @description Visits of each day of a window. */
        Timeline: {
            /** @description UTC days in order, `YYYY-MM-DD`; the last one is today. */
            dates: string[];
            /** @description Visits of those that are told apart, impostors' left out. */
            series: components["schemas"]["TimelineSeries"][];
            /** @description Visits of impostors, for each of the dates. */
            spoofed: number[];
        };
        /** @description Visits that have something in common. */
        TimelineSeries: {
            /** @description Visits, for each of the dates. */
            counts: number[];
            /**
             * @description Id of the kind, provider, crawler or way.
             * @example ai
             */
            id: string;
            /**
             * @description Name for people.
             * @example AI
             */
            name: string;
        };
        /**
         * Format: date-time
         * @example 2026-11-20T09:30:00.000Z
         */
        Timestamp: string;
        /** @description State of the report of the seven days that end today, UTC. */
        TodayStatus: {
            /** @description The report has been built. */
            hasReport: boolean;
            /** @description Null: there is none yet. */
            reportId?: string | null;
            /** @description No run of these days is queued, running or answered. */
            runsComplete: boolean;
        };
        /** @description A competitor in the answers of a window. */
        TopCompetitorItem: {
            /**
             * Format: int64
             * @description Answers that name the competitor.
             * @example 8
             */
            count: number;
            /** @example Notchly */
            name: string;
            /**
             * @description Empty: not known.
             * @example https://notchly.com
             */
            siteUrl: string;
            /**
             * Format: int32
             * @description From 0 to 100.
             * @example 82
             */
            strength: number;
        };
        /** @description Competitor that most answers name; an empty name when none is named. */
        TopCompetitorSummary: {
            /**
             * Format: int64
             * @example 1394
             */
            mentions: number;
            /** @example Notchly */
            name: string;
            /** @example https://notchly.com */
            siteUrl: string;
        };
        /** @description Readiness of this process alone. */
        TrafficReadiness: {
            /** @description This process can serve visitors. */
            ok: boolean;
            reason?: components["schemas"]["NoTraffic"] | null;
        };
        /** @description Numbers of a domain by day. */
        Trend: {
            range: components["schemas"]["DayRange"];
            /** @description Every day of the window, the oldest first; a day without answers has null in place of rates. */
            trend: components["schemas"]["TrendEntry"][];
        };
        /** @description Numbers of one day. */
        TrendEntry: {
            /**
             * Format: double
             * @example 2.1
             */
            avgPosition?: number | null;
            /**
             * Format: double
             * @example 0.34
             */
            avgSentiment?: number | null;
            /** @description Providers that answered on the day. */
            byProvider: {
                [key: string]: components["schemas"]["ProviderPoint"];
            };
            /**
             * @description 95 % Wilson interval of visibilityPercent: lower and upper end.
             * @example [
             *       33.2,
             *       54.6
             *     ]
             */
            ci?: number[] | null;
            /**
             * Format: double
             * @example 19.2
             */
            citationRate?: number | null;
            /** @example 2026-11-20 */
            date: string;
            /**
             * Format: double
             * @description visibilityPercent of the seven days up to this one together.
             * @example 42.9
             */
            ma7?: number | null;
            /**
             * Format: int64
             * @example 34
             */
            mentions: number;
            /**
             * Format: int64
             * @example 78
             */
            responses: number;
            /**
             * Format: double
             * @example 28.4
             */
            shareOfVoice?: number | null;
            /**
             * Format: double
             * @example 43.6
             */
            visibilityPercent?: number | null;
        };
        /**
         * @description Who started a run.
         * @enum {string}
         */
        Trigger: "api" | "manual" | "scheduled";
        /**
         * @description Reason why an assistant cannot be asked.
         * @enum {string}
         */
        UnavailableReason: "no_key" | "plan";
        /** @description A domain with its settings, after a change of them. */
        UpdatedDomain: components["schemas"]["DomainDetail"] & {
            /**
             * @description What of the request was not saved: a field, or `redirectRules.N.source`, `.destination`, `.status`. `originHost` is
             *     named when it did not answer, and saved all the same.
             * @example [
             *       "redirectRules.0.source"
             *     ]
             */
            invalidFields: string[];
        };
        /** @description One limit of the plan and how much of it is used. */
        UsageEntry: {
            /**
             * Format: int64
             * @description The limit; -1: none.
             * @example 50000
             */
            limit: number;
            /**
             * @description Name of the limit, as in the settings below `plans.<id>.`.
             * @example renders_per_month
             */
            name: string;
            /**
             * Format: int64
             * @description How much is used; null for a limit of a single thing, such as one audit, and for bytes, which are summed up once an hour.
             */
            used?: number | null;
        };
        /** @description This month's use, as `GET /api/usage` answers it. */
        UsageReport: {
            /** @description Whether the account is active. */
            active: boolean;
            /** @description One entry per limit of the plan. */
            limits: components["schemas"]["UsageEntry"][];
            /**
             * @description UTC month, `YYYY-MM`.
             * @example 2026-11
             */
            month: string;
            /** @description The account's plan. */
            plan: components["schemas"]["Plan"];
            /** @description When the monthly counts start again. */
            resetsAt: components["schemas"]["Timestamp"];
        };
        /** @description A user without the password. */
        UserShown: {
            /** @description The user. */
            username: string;
        };
        /**
         * @description Whether a crawler is who it claims to be.
         * @enum {string}
         */
        Verified: "yes" | "no" | "unknown";
        /** @description Page to verify. */
        VerifyBody: {
            /**
             * @description Crawler to imitate, by id or name; left out: Googlebot.
             * @default null
             * @example gptbot
             */
            as: string | null;
            /**
             * @description Path of the page, with its query; left out: `/`.
             * @default null
             * @example /pricing
             */
            path: string | null;
        };
        /** @description A view of a page. */
        View: {
            /** @description Requests of the live page that were not let through; at most 100. */
            blocked: components["schemas"]["ViewBlockedEntry"][];
            /** @description Errors, warnings and uncaught exceptions of the live page; at most 100. */
            console: components["schemas"]["ViewConsoleEntry"][];
            crawler: components["schemas"]["CrawlerView"] | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @example shop.example */
            domain: string;
            error: components["schemas"]["ViewError"] | null;
            expiresAt: components["schemas"]["Timestamp"];
            id: components["schemas"]["ViewId"];
            /**
             * @description Path and query.
             * @example /shoes?size=42
             */
            path: string;
            person: components["schemas"]["PersonView"] | null;
            /** @description Failed requests and scripts of the live page, a sentence each; at most 10. */
            problems: string[];
            raw: components["schemas"]["RawView"] | null;
            /** @description Requests of the live page in the order in which they were sent; at most 200. */
            requests: components["schemas"]["ViewRequestEntry"][];
            state: components["schemas"]["ViewState"];
            timings: components["schemas"]["ViewTimings"] | null;
            /** @example https://shop.example/shoes?size=42 */
            url: string;
            /**
             * Format: int32
             * @description Width of the window in CSS pixels.
             * @example 1280
             */
            width: number;
        };
        /** @description A request that was not let through. */
        ViewBlockedEntry: {
            reason: string;
            url: string;
        };
        /** @description A message on the console. */
        ViewConsoleEntry: {
            /**
             * @description `error`, `warning` or `exception`.
             * @example error
             */
            level: string;
            text: string;
        };
        /**
         * @description Why a page could not be seen.
         * @enum {string}
         */
        ViewError: "origin_not_reachable" | "not_a_page" | "timeout" | "too_large" | "forbidden_address" | "no_browser";
        /** @description A header line. */
        ViewHeader: {
            /** @example x-robots-tag */
            name: string;
            /** @example noindex */
            value: string;
        };
        /**
         * @description Identifies a view. Ids sort by the time they were made.
         * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
         */
        ViewId: string;
        /** @description Page that is to be seen. */
        ViewOrder: {
            /**
             * @description Domain of the account.
             * @example shop.example
             */
            domain: string;
            /**
             * @description Path and query.
             * @example /shoes?size=42
             */
            path: string;
            /**
             * Format: int32
             * @description Width of the window: 1280, or 390 for a phone.
             * @example 1280
             */
            width?: number | null;
        };
        /** @description A picture of a whole page. */
        ViewPicture: {
            /**
             * Format: int64
             * @description Size of the WebP, at most 4 MiB.
             * @example 182000
             */
            bytes: number;
            /** @description The page goes on below. */
            cut: boolean;
            /**
             * Format: int32
             * @description At most 8,000.
             * @example 2400
             */
            height: number;
            /** @example /api/dashboard/views/01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10/person.webp */
            url: string;
            /**
             * Format: int32
             * @example 1280
             */
            width: number;
        };
        /** @description A request of the live page. */
        ViewRequestEntry: {
            /**
             * Format: int64
             * @description Bytes received.
             */
            bytes: number;
            /** Format: int64 */
            durationMs: number;
            outcome: components["schemas"]["ViewRequestOutcome"];
            /**
             * Format: int64
             * @description Milliseconds after the first request.
             */
            startMs: number;
            /**
             * Format: int32
             * @description 0: no answer.
             * @example 200
             */
            status: number;
            /**
             * @description Type of the resource.
             * @example script
             */
            type: string;
            url: string;
        };
        /**
         * @description End of a request.
         * @enum {string}
         */
        ViewRequestOutcome: "ok" | "failed" | "blocked";
        /**
         * @description State of a view.
         * @enum {string}
         */
        ViewState: "running" | "done" | "failed";
        /** @description Milliseconds of each phase. */
        ViewTimings: {
            /** Format: int64 */
            loadMs: number;
            /** Format: int64 */
            prepareMs: number;
            /** Format: int64 */
            queuedMs: number;
            /** Format: int64 */
            totalMs: number;
        };
        /** @description Everything that is known of a domain's answers in seven days, compared with the seven days before. */
        VisibilityReport: {
            /** @description Largest impact first. */
            actionItems: components["schemas"]["ReportAction"][];
            /**
             * Format: int64
             * @description Version of the brand profile under which the answers were analysed.
             */
            analysisVersion: number;
            brand: components["schemas"]["ReportBrand"];
            /** @description Oldest first. */
            changes: components["schemas"]["ReportChange"][];
            /** @description Sites that answers cite which name other brands and not the own one. Highest score first. */
            citationOpportunities: components["schemas"]["CitationOpportunity"][];
            citationSources: components["schemas"]["ReportSources"];
            competitorLandscape: components["schemas"]["CompetitorLandscape"];
            /** @description SHA-256 of the payload without this field and `generatedAt`, hexadecimal. */
            contentHash: string;
            coverage: components["schemas"]["ReportCoverage"];
            /** @example lumadocs.io */
            domain: string;
            /** @description ISO 8601. */
            generatedAt: string;
            methodology: components["schemas"]["ReportMethodology"];
            period: components["schemas"]["ReportPeriod"];
            promptInsights: components["schemas"]["PromptInsight"][];
            /**
             * Format: int64
             * @description Assistants that were asked in the period.
             */
            providerCount: number;
            providerInsights: components["schemas"]["ProviderInsight"][];
            quickSummary: components["schemas"]["QuickSummary"];
            sentiment: components["schemas"]["ReportSentiment"];
            stats: components["schemas"]["ReportStats"];
            /** @description Every day of the period. */
            trendData: components["schemas"]["TrendEntry"][];
            /**
             * @description Version of the payload.
             * @example v3
             */
            version: string;
        };
        /** @description The window of a report, as it is told. */
        WindowInfo: {
            /**
             * Format: int32
             * @description Days in it, today included.
             */
            days: number;
            /** @description Its first moment. */
            from: components["schemas"]["Timestamp"];
            /** @description Now. */
            to: components["schemas"]["Timestamp"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_costs: {
        parameters: {
            query: {
                /** @example shop.example */
                domain: string;
                /**
                 * @description First UTC day; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last UTC day; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The costs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainCosts"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    export_mentions: {
        parameters: {
            query: {
                /** @description `true`: prompts that name the own brand; `false`: those that do not. */
                branded?: string;
                /** @description Of sources: `domain` or `page`; `domain` unless given. */
                by?: string;
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /** @description `csv` or `ndjson`; `csv` unless given. */
                format?: string;
                /** @description First UTC day; 30 days ago unless given. Prompts are exported whatever the days are. */
                from?: string;
                /** @description `info`, `trans` or `comm`. */
                intent?: string;
                /** @description One provider; all unless given. */
                provider?: string;
                /** @description A tag that prompts have, as a whole. */
                tag?: string;
                /** @description Last UTC day; today unless given. */
                to?: string;
                /**
                 * @description `prompts`, `runs`, `citations`, `stats`, `sources` or `queries`.
                 * @example runs
                 */
                what: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export; `application/x-ndjson` with `format=ndjson`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example query,answers,namedIn,providers,promptIds,tracked
                     *     "best docs tool","12","4","chatgpt","01","false"
                     */
                    "text/csv": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_prompt_stats: {
        parameters: {
            query: {
                /**
                 * @description `true`: prompts that name the own brand; `false`: those that do not; both unless given.
                 * @example false
                 */
                branded?: string;
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /**
                 * @description First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
                 * @example 2026-10-21
                 */
                from?: string;
                /**
                 * @description `info`, `trans` or `comm`.
                 * @example comm
                 */
                intent?: string;
                /**
                 * @description One provider: `chatgpt`, `perplexity`, `gemini`, `claude` or `google_ai_overview`; all unless given.
                 * @example chatgpt
                 */
                provider?: string;
                /**
                 * @description A tag that prompts have, as a whole.
                 * @example startup
                 */
                tag?: string;
                /**
                 * @description Last UTC day; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptStatsList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_prompts: {
        parameters: {
            query: {
                /** @example shop.example */
                domain: string;
                /**
                 * @description Only prompts with this tag.
                 * @example docs
                 */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptView"][];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    change_prompt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptRequest"];
            };
        };
        responses: {
            /** @description It was created; so many runs are queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedRuns"];
                };
            };
            /** @description It was changed or deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `provider_unavailable`: The assistant cannot be asked here: the operator has set no key for it, or for any.
             *     - `provider_limit_reached`: The plan allows fewer assistants for one prompt.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `prompt_limit_reached`: The plan allows no more prompts.
             *     - `monitor_limit_reached`: The plan allows no more active prompts.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    run_prompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The prompt. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description So many runs are queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedRuns"];
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `provider_unavailable`: The assistant cannot be asked here: the operator has set no key for it, or for any.
             *     - `provider_limit_reached`: The plan allows fewer assistants for one prompt.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `budget_spent`: No budget is left for asking; `resumesAt` says when there is one again.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The prompt is paused. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    import_prompts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportRequest"];
            };
        };
        responses: {
            /** @description The outcome. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportOutcome"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_providers: {
        parameters: {
            query: {
                /** @example shop.example */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The assistants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_queries: {
        parameters: {
            query: {
                /** @description `true`: prompts that name the own brand; `false`: those that do not. */
                branded?: string;
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /**
                 * @description First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
                 * @example 2026-10-21
                 */
                from?: string;
                /** @description `info`, `trans` or `comm`. */
                intent?: string;
                /** @description 1 to 500; 50 unless given. */
                limit?: number;
                /** @description Entries that are left out at the beginning. */
                offset?: number;
                /**
                 * @description One provider; all unless given.
                 * @example chatgpt
                 */
                provider?: string;
                /** @description A tag that prompts have, as a whole. */
                tag?: string;
                /**
                 * @description Last UTC day; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The searches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_reports: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example lumadocs.io
                 */
                domain: string;
                /** @description Most reports of the answer. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_report: {
        parameters: {
            query?: {
                /**
                 * @description `json`, `markdown` or `html`; `json` unless given. HTML is one file that prints, without scripts and links.
                 * @example json
                 */
                format?: string;
            };
            header?: never;
            path: {
                /** @description The report. */
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibilityReport"];
                    "text/html": string;
                    "text/markdown": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_prompt_runs: {
        parameters: {
            query: {
                /**
                 * @description Only runs of this UTC day.
                 * @example 2026-11-20
                 */
                date?: string;
                /** @example shop.example */
                domain: string;
                /**
                 * @description Only runs of this UTC day and later.
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Runs in the answer, 1 to 5,000 (default). */
                limit?: number;
                /** @description Runs that are left out. */
                offset?: number;
                /** @description Only runs of this prompt, which may be deleted. */
                promptId?: string;
                /**
                 * @description Only runs of this assistant.
                 * @example chatgpt
                 */
                provider?: string;
                /**
                 * @description Only runs of this UTC day and earlier.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptRunList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_prompt_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptRunDetails"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_sources: {
        parameters: {
            query: {
                /** @description `true`: prompts that name the own brand; `false`: those that do not. */
                branded?: string;
                /** @description `domain` or `page`; `domain` unless given. */
                by?: string;
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /**
                 * @description First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
                 * @example 2026-10-21
                 */
                from?: string;
                /** @description `info`, `trans` or `comm`. */
                intent?: string;
                /** @description 1 to 500; 50 unless given. */
                limit?: number;
                /** @description Entries that are left out at the beginning. */
                offset?: number;
                /**
                 * @description One provider; all unless given.
                 * @example chatgpt
                 */
                provider?: string;
                /** @description A tag that prompts have, as a whole. */
                tag?: string;
                /**
                 * @description Last UTC day; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sources. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_suggestions: {
        parameters: {
            query: {
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /** @description 1 to 500; 50 unless given. */
                limit?: number;
                /** @description Entries that are left out at the beginning. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suggestions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestionList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    suggest_of_terms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TermsBody"];
            };
        };
        responses: {
            /** @description The suggestions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestionList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_trend: {
        parameters: {
            query: {
                /**
                 * @description `true`: prompts that name the own brand; `false`: those that do not; both unless given.
                 * @example false
                 */
                branded?: string;
                /**
                 * @description Name of the domain, or of its `www.` twin.
                 * @example lumadocs.io
                 */
                domain: string;
                /**
                 * @description First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
                 * @example 2026-10-21
                 */
                from?: string;
                /**
                 * @description `info`, `trans` or `comm`.
                 * @example comm
                 */
                intent?: string;
                /**
                 * @description One provider: `chatgpt`, `perplexity`, `gemini`, `claude` or `google_ai_overview`; all unless given.
                 * @example chatgpt
                 */
                provider?: string;
                /**
                 * @description A tag that prompts have, as a whole.
                 * @example startup
                 */
                tag?: string;
                /**
                 * @description Last UTC day; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trend. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trend"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_bots: {
        parameters: {
            query?: {
                /**
                 * @description Domain of the account. A public token carries its own.
                 * @example shop.example
                 */
                domain?: string;
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description `origin`: visits that the site's own server answered count too.
                 * @example origin
                 */
                include?: "origin";
                /**
                 * @description Only this path.
                 * @example /pricing
                 */
                path?: string;
                /** @description Only paths with this text in them, in any case. */
                search?: string;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
                /** @description The domain's public token, in place of a key or session. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Visits by page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bots"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_daily_bots: {
        parameters: {
            query?: {
                /** @description Days to look back at, today included: 1 to 180, 30 unless given. */
                days?: number;
                /**
                 * @description Domain of the account. A public token carries its own.
                 * @example shop.example
                 */
                domain?: string;
                /**
                 * @description `origin`: visits that the site's own server answered count too.
                 * @example origin
                 */
                include?: "origin";
                /** @description The domain's public token, in place of a key or session. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Visits by day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Daily"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_bots_summary: {
        parameters: {
            query?: {
                /** @description Days to look back at, today included: 1 to 180, 30 unless given. */
                days?: number;
                /**
                 * @description Domain of the account. A public token carries its own.
                 * @example shop.example
                 */
                domain?: string;
                /**
                 * @description `origin`: visits that the site's own server answered count too.
                 * @example origin
                 */
                include?: "origin";
                /** @description The domain's public token, in place of a key or session. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Visits in short. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_crawlers: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawlers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlerList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_crawl_errors: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Most rows of the answer: 1 to 1000, 100 unless given. */
                limit?: number;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlErrorList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    export_visits: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /** @description Form of the file; `csv` unless given. */
                format?: "csv" | "parquet";
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": number[];
                    /**
                     * @example day,path,crawler,provider,verified,servedBy,status,visits
                     *     2026-11-20,/pricing,gptbot,openai,yes,cache,200,3
                     */
                    "text/csv": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    watch_visits: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits, until one side ends it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveVisit"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_page_insights: {
        parameters: {
            query: {
                /** @description Days to look back at, today included: 1 to 180, 30 unless given. */
                days?: number;
                /**
                 * @description Domain of the account. A public token carries its own.
                 * @example shop.example
                 */
                domain?: string;
                /**
                 * @description `origin`: visits that the site's own server answered count too.
                 * @example origin
                 */
                include?: "origin";
                /** @description The domain's public token, in place of a key or session. */
                token?: string;
                /**
                 * @description Absolute address of the page, on the domain.
                 * @example https://shop.example/pricing
                 */
                url: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageInsights"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_crawled_pages: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description `csv`: all rows as a file; limit and offset play no part.
                 * @example csv
                 */
                format?: "json" | "csv";
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Number of rows, 1 to 500. */
                limit?: number;
                /** @description Rows to leave out first. */
                offset?: number;
                /**
                 * @description Only new pages, or only stored pages that no crawler asked for.
                 * @example new
                 */
                only?: "new" | "unvisited";
                /**
                 * @description Direction; `desc` unless given.
                 * @example desc
                 */
                order?: "asc" | "desc";
                /**
                 * @description Only visits of this provider's crawlers.
                 * @example openai
                 */
                provider?: string;
                /** @description Only paths with this text in them, in any case. */
                search?: string;
                /**
                 * @description Property to order by; `visits` unless given.
                 * @example visits
                 */
                sort?: "visits" | "path" | "crawlers" | "firstSeen";
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawledPageList"];
                    /**
                     * @example path,visits,cache,render,origin,crawlers,providers,firstSeen,lastSeen
                     *     "/pricing",4,3,1,0,2,"openai 3; google 1","2026-11-01","2026-11-20"
                     */
                    "text/csv": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_referrals: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Most rows of the answer: 1 to 1000, 100 unless given. */
                limit?: number;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReferralList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_robots_violations: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description First day, `yyyy-mm-dd`; 30 days ago unless given.
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Most rows of the answer: 1 to 1000, 100 unless given. */
                limit?: number;
                /**
                 * @description Last day, `yyyy-mm-dd`; today unless given.
                 * @example 2026-11-20
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RobotsViolations"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_timeline: {
        parameters: {
            query: {
                /**
                 * @description Property by which visits are told apart; `kind` unless given.
                 * @example kind
                 */
                by?: "kind" | "provider" | "answer" | "crawler";
                /** @description Days to look back at, today included: 1 to 180, 30 unless given. */
                days?: number;
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_invalidate_page_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagesReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_invalidate_paths_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PathsRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagesReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_invalidate_site_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_invalidate_updated_paths: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dismiss_entry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DismissedEntry"];
            };
        };
        responses: {
            /** @description Hidden. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    restore_entry: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description Name of the entry.
                 * @example snapshots_stale
                 */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shown again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_list_domains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order they were added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": [
                     *         {
                     *           "createdAt": "2026-11-20T12:00:00.000Z",
                     *           "domain": "shop.example",
                     *           "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
                     *           "originHost": "shop.lovable.app",
                     *           "sitemapUrl": "https://shop.example/sitemap.xml",
                     *           "status": "connected",
                     *           "updatedAt": "2026-11-20T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DomainList"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_add_domain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddRequest"];
            };
        };
        responses: {
            /** @description It was added. Records of a subdomain are named after its part before the registrable name. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "shop.example",
                     *       "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
                     *       "isSubdomain": false,
                     *       "records": [
                     *         {
                     *           "name": "@",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         },
                     *         {
                     *           "name": "www",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         }
                     *       ],
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["AddedDomain"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `invalid_domain`: The name is no registrable domain and no subdomain of one.
             *     - `invalid_origin_host`: There is no usable host in the origin host.
             *     - `origin_host_same_as_domain`: The origin host is the domain itself or its `www.` twin.
             *     - `origin_host_is_editor_url`: The origin host is where the site is edited, not where it is published.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `domain_limit_reached`: The plan allows no more domains.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account has the domain already, or another account serves it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `insert_failed`: The domain was not added. Try again.
             *     - `internal_error`: The service failed. The log says why, under the `x-request-id` of the answer.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_get_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetail"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_remove_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedDomain"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_check_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found, and the status after it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dns": {
                     *         "cloudflareProxy": false,
                     *         "lookupFailed": false,
                     *         "match": true
                     *       },
                     *       "probe": {
                     *         "ok": true
                     *       },
                     *       "promoted": true,
                     *       "status": "connected"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckResult"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_update_settings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "originHost": "shop.lovable.app",
                 *       "preferredHost": "apex",
                 *       "redirectRules": [
                 *         {
                 *           "destination": "/articles/$1",
                 *           "source": "/blog/*"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description The domain as it is stored now, and what of the request was left out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedDomain"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `invalid_origin_host`: There is no usable host in the origin host.
             *     - `origin_host_same_as_domain`: The origin host is the domain itself or its `www.` twin.
             *     - `origin_host_is_editor_url`: The origin host is where the site is edited, not where it is published.
             *     - `redirect_limit_reached`: The plan allows fewer redirect rules.
             *     - `invalid_custom_headers`: Response headers that may not be set; `details` names each.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `upgrade_required_for_custom_headers`: The plan has no custom response headers.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_update_sitemap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sitemapUrl": "https://shop.example/sitemap.xml"
                 *     }
                 */
                "application/json": components["schemas"]["SitemapRequest"] | null;
            };
        };
        responses: {
            /** @description The domain, with the number of pages found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetail"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `fetch_failed`: The sitemap, the picture or the page could not be fetched.
             *     - `parse_failed`: What is at the sitemap's address is no sitemap.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    test_patterns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatternTest"];
            };
        };
        responses: {
            /** @description The matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatternTestResult"];
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `redirect_limit_reached`: The plan allows fewer redirect rules.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    test_rules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleTest"];
            };
        };
        responses: {
            /** @description The edge's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTestResult"];
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `redirect_limit_reached`: The plan allows fewer redirect rules.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_first_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirstRun"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_overview: {
        parameters: {
            query: {
                /** @description Days of the numbers, today included: 1 to 180. */
                days?: number;
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteOverview"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Changed. */
            204: {
                headers: {
                    /** @description The new session. */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `wrong_password`: The current password is wrong.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_preview_image: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description Absolute address of the picture.
                 * @example https://shop.example/cover.png
                 */
                url: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `fetch_failed`: The sitemap, the picture or the page could not be fetched.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_sites: {
        parameters: {
            query?: {
                /** @description Days of visits and answers, today included: 1 to 180. */
                days?: number;
                /** @description Number of rows. */
                limit?: number;
                /** @description Rows to leave out first. */
                offset?: number;
                /**
                 * @description Direction; `desc` unless given.
                 * @example desc
                 */
                order?: "asc" | "desc";
                /**
                 * @description Text that names must contain; case does not matter. At most 500 characters.
                 * @example shop
                 */
                search?: string;
                /**
                 * @description Property to order by; `attention` unless given.
                 * @example attention
                 */
                sort?: "attention" | "domain" | "visits" | "healthScore" | "visibilityRate" | "createdAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sites. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    find_newest_view: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description Path and query.
                 * @example /shoes?size=42
                 */
                path: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The view, or null when there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewestView"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    take_view: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ViewOrder"];
            };
        };
        responses: {
            /** @description It is being taken. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenView"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `render_limit_reached`: The plan allows no more renders this month.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_view: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The view. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_crawler_html: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The HTML. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_crawler_picture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_person_picture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_raw_picture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_domains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order they were added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": [
                     *         {
                     *           "createdAt": "2026-11-20T12:00:00.000Z",
                     *           "domain": "shop.example",
                     *           "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
                     *           "originHost": "shop.lovable.app",
                     *           "sitemapUrl": "https://shop.example/sitemap.xml",
                     *           "status": "connected",
                     *           "updatedAt": "2026-11-20T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DomainList"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_domain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddRequest"];
            };
        };
        responses: {
            /** @description It was added. Records of a subdomain are named after its part before the registrable name. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "shop.example",
                     *       "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10",
                     *       "isSubdomain": false,
                     *       "records": [
                     *         {
                     *           "name": "@",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         },
                     *         {
                     *           "name": "www",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         }
                     *       ],
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["AddedDomain"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `invalid_domain`: The name is no registrable domain and no subdomain of one.
             *     - `invalid_origin_host`: There is no usable host in the origin host.
             *     - `origin_host_same_as_domain`: The origin host is the domain itself or its `www.` twin.
             *     - `origin_host_is_editor_url`: The origin host is where the site is edited, not where it is published.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `domain_limit_reached`: The plan allows no more domains.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account has the domain already, or another account serves it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `insert_failed`: The domain was not added. Try again.
             *     - `internal_error`: The service failed. The log says why, under the `x-request-id` of the answer.
             */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetail"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    remove_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedDomain"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_auditing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is audited. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditingView"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    update_auditing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuditingChange"];
            };
        };
        responses: {
            /** @description How it is audited from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditingView"];
                };
            };
            /** @description What was sent to the Domains API cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_brand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandView"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replace_brand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrandBody"];
            };
        };
        responses: {
            /** @description The profile from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandView"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    check_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found, and the status after it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dns": {
                     *         "cloudflareProxy": false,
                     *         "lookupFailed": false,
                     *         "match": true
                     *       },
                     *       "probe": {
                     *         "ok": true
                     *       },
                     *       "promoted": true,
                     *       "status": "connected"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckResult"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_monitoring: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringView"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    update_monitoring: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitoringChange"];
            };
        };
        responses: {
            /** @description The settings from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringView"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_required_records: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What must stand in the DNS. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checkedAt": "2026-11-20T09:30:00.000Z",
                     *       "contested": false,
                     *       "probe": "edge",
                     *       "problems": [],
                     *       "reason": null,
                     *       "records": [
                     *         {
                     *           "found": [
                     *             "203.0.113.10"
                     *           ],
                     *           "name": "@",
                     *           "state": "found",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         },
                     *         {
                     *           "found": [],
                     *           "name": "www",
                     *           "state": "missing",
                     *           "ttl": 300,
                     *           "type": "A",
                     *           "value": "203.0.113.10"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionRecords"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_rendering: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is rendered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rendering"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    update_rendering: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenderingChange"];
            };
        };
        responses: {
            /** @description How it is rendered from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rendering"];
                };
            };
            /** @description What was sent to the Domains API cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    update_settings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "originHost": "shop.lovable.app",
                 *       "preferredHost": "apex",
                 *       "redirectRules": [
                 *         {
                 *           "destination": "/articles/$1",
                 *           "source": "/blog/*"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description The domain as it is stored now, and what of the request was left out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedDomain"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `invalid_origin_host`: There is no usable host in the origin host.
             *     - `origin_host_same_as_domain`: The origin host is the domain itself or its `www.` twin.
             *     - `origin_host_is_editor_url`: The origin host is where the site is edited, not where it is published.
             *     - `redirect_limit_reached`: The plan allows fewer redirect rules.
             *     - `invalid_custom_headers`: Response headers that may not be set; `details` names each.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `upgrade_required_for_custom_headers`: The plan has no custom response headers.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    update_sitemap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sitemapUrl": "https://shop.example/sitemap.xml"
                 *     }
                 */
                "application/json": components["schemas"]["SitemapRequest"] | null;
            };
        };
        responses: {
            /** @description The domain, with the number of pages found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetail"];
                };
            };
            /**
             * @description - `validation_error`: What was sent to the Domains API cannot be used; `issues` says where and why.
             *     - `fetch_failed`: The sitemap, the picture or the page could not be fetched.
             *     - `parse_failed`: What is at the sitemap's address is no sitemap.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_stats_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether there is a token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sharing"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    create_stats_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_stats_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is shared any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    verify_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyBody"];
            };
        };
        responses: {
            /** @description Every check. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteReport"];
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `fetch_failed`: The sitemap, the picture or the page could not be fetched.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKeyRequest"];
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `key_limit_reached`: The account has as many keys as it may have; revoked ones do not count.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key. */
                id: components["schemas"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_batches: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The refreshes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As the refresh answered it.
                 * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
                 */
                batchGroupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How far it has come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchProgress"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    cancel_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As the refresh answered it.
                 * @example 01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10
                 */
                batchGroupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether there was anything to stop. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchCancelled"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    invalidate_page_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagesReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    invalidate_paths_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PathsRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagesReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    invalidate_site_cache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    invalidate_updated_paths: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteRequest"];
            };
        };
        responses: {
            /** @description What was queued, or why nothing was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteReply"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    render_page: {
        parameters: {
            query: {
                /**
                 * @description Exactly `1`: skip every cache tier, render from scratch and replace the stored snapshot. Other values are ignored. At
                 *     most 60 a minute of a key, and 10 a minute of a domain that no check has proven.
                 * @example 1
                 */
                cache_invalidate?: string;
                /**
                 * @description The page to render: an absolute http or https URL, URL-encoded, on a domain of the account.
                 * @example https://shop.example/shoes?size=42
                 */
                url: string;
            };
            header?: {
                /**
                 * @description Address of the visitor, as the integration saw it. A crawler is verified by it; one that is not verified counts in
                 *     the daily budget of its network. It is not stored and counts in no rate limit. Ignored when malformed.
                 * @example 66.249.66.1
                 */
                "x-service-client-address"?: string | null;
                /**
                 * @description Says that an integration asks, which gives up after ten seconds: what there is, is the answer within nine, and 304
                 *     when there is nothing. The render goes on.
                 * @example 1
                 */
                "x-service-integration"?: string | null;
                /** @description Passed on as received: marks requests of the service's own audits and checks, which are no visits. */
                "x-service-probe"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Another redirect of the page itself: forward `Location` to the visitor. */
            "3XX": {
                headers: {
                    /** @description Absolute address. */
                    location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The page's own status, with its HTML (404, 410 and the like). */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page's own status, with its HTML; never stored. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The rendered HTML. */
            200: {
                headers: {
                    /** @description `public, max-age=N, s-maxage=N` with the refresh interval of the path; `no-store` when partial. */
                    "cache-control"?: string;
                    /** @description Weak etag of the HTML. */
                    etag?: string;
                    /** @description `edge-hit`, `hit` or `miss`. */
                    "x-service-render-cache"?: string;
                    /** @description `1` when the page was cut off before it was complete. */
                    "x-service-render-partial"?: string;
                    /** @description Object key of the snapshot, on `hit`. */
                    "x-service-snapshot-key"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!DOCTYPE html><html lang="en"><head><title>Shoes</title></head><body><h1>Shoes</h1></body></html> */
                    "text/html": string;
                };
            };
            /** @description A redirect rule or the preferred host applies: forward `Location` to the visitor. Also a page that redirects permanently itself. */
            301: {
                headers: {
                    /** @description Absolute address. */
                    location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not prerendered (a person, an asset, an ignored path, nothing stored while on-demand rendering is off): let the origin answer. */
            304: {
                headers: {
                    /** @description The same path and query on the origin host. */
                    location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A redirect rule with status 307 applies. */
            307: {
                headers: {
                    /** @description Absolute address. */
                    location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_suspended`: The domain is locked by the operator.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_snapshots: {
        parameters: {
            query: {
                /**
                 * @description Domain of the account.
                 * @example shop.example
                 */
                domain: string;
                /**
                 * @description `csv`: all that match, as a file; limit and offset play no part.
                 * @example csv
                 */
                format?: "json" | "csv";
                /** @description Number of rows, 1 to 500. */
                limit?: number;
                /** @description Rows to leave out first. */
                offset?: number;
                /**
                 * @description Direction; `desc` unless given.
                 * @example desc
                 */
                order?: "asc" | "desc";
                /**
                 * @description Only pages whose address contains this; case does not matter. At most 500 characters.
                 * @example /shoes
                 */
                search?: string;
                /**
                 * @description Property to order by; `createdAt` unless given.
                 * @example createdAt
                 */
                sort?: "createdAt" | "path" | "status" | "htmlBytes" | "renderMs";
                /**
                 * @description Only snapshots in this state.
                 * @example stale
                 */
                state?: "fresh" | "stale" | "failing";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshots. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotList"];
                    /**
                     * @example url,path,status,state,htmlBytes,renderMs,createdAt,intervalSeconds,lastError
                     *     "https://shop.example/","/","200","fresh","48213","180","2026-11-20T12:00:00.000Z","86400",""
                     */
                    "text/csv": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_issues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The catalogue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalogue"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                /**
                 * @description Only runs of this domain. A key that is restricted to a domain gets that domain's, whatever is asked for.
                 * @example shop.example
                 */
                domain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    start_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRequest"];
            };
        };
        responses: {
            /** @description It runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Started"];
                };
            };
            /**
             * @description - `invalid_request`: What was sent cannot be used; `issues` says where and why.
             *     - `invalid_urls`: Addresses of an audit that are none, or not on the domain; `issues` names each.
             *     - `no_sitemap`: The domain has no sitemap, and the request names none.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The account is inactive. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_suspended`: The domain is locked by the operator.
             *     - `no_seo_spider_access`: The plan has no audits.
             *     - `on_demand_limit_reached`: The plan allows no more audits this month.
             *     - `max_pages_per_month_limit_reached`: The plan allows no more audited pages this month.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The domain is being audited: `runId`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The sitemap has no pages that are new or changed since the last audit. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_run: {
        parameters: {
            query?: {
                /**
                 * @description Fields of a page that are wanted, separated by commas; all unless given. `lastCrawlerVisit`, the day on which a
                 *     crawler last came, is there only when it is wanted.
                 * @example path,healthScore
                 */
                fields?: string;
                /**
                 * @description Only pages with this issue.
                 * @example META_DESC_MISSING
                 */
                issueId?: string;
                /** @description Pages in the answer, 1 to 500; all unless given. */
                limit?: number;
                /** @description Pages that are left out; needs `limit`. */
                offset?: number;
                /** @description `asc` or `desc`. */
                order?: string;
                /** @description Only pages with this text in their path, in any case. */
                search?: string;
                /**
                 * @description Field of a page that they are sorted by, or `lastCrawlerVisit`; `path` unless given.
                 * @example healthScore
                 */
                sort?: string;
            };
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetails"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `plan_required`: This needs a higher plan: `requiredPlan`.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being stopped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    compare_runs: {
        parameters: {
            query: {
                /** @description The other run, of the same domain. The one that began first is the earlier one. */
                with: string;
            };
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    follow_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunProgress"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    export_run: {
        parameters: {
            query: {
                /**
                 * @description Of pages: fields that are wanted, separated by commas, or `lastCrawlerVisit`; all unless given.
                 * @example path,healthScore
                 */
                fields?: string;
                /** @description `csv`, `ndjson`, or `xml` for a sitemap; `csv` unless given, `xml` for a sitemap. */
                format?: string;
                /**
                 * @description Of pages and findings: only this issue.
                 * @example META_DESC_MISSING
                 */
                issueId?: string;
                /** @description Of pages: `asc` or `desc`. */
                order?: string;
                /**
                 * @description Of a sitemap with more than 50,000 addresses: which of its files, from 1. Without it the answer is then the index of the
                 *     files, `sitemap-1.xml` and so on at the root of the site.
                 */
                part?: number;
                /** @description Of pages: only those with this text in their path, in any case. */
                search?: string;
                /** @description Of pages: field that they are sorted by, or `lastCrawlerVisit`; `path` unless given. */
                sort?: string;
                /**
                 * @description `pages`, `findings`, `links`, `external` (links to other hosts), `resources` (scripts, style sheets, pictures, films and
                 *     documents), `redirects`, `images`, `hreflang` or `sitemap`.
                 * @example pages
                 */
                what: string;
            };
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_link_graph: {
        parameters: {
            query?: {
                /** @description Pages in the answer, 1 to 2,000; 500 unless given. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The graph. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkGraph"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_run_issues: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The issues. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunIssues"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_run_links: {
        parameters: {
            query?: {
                /** @description Only links to other hosts (true), or only links of the site (false). */
                external?: boolean;
                /**
                 * @description Path of the page that they stand on.
                 * @example /
                 */
                from?: string;
                /** @description Links in the answer, 1 to 500; 100 unless given. */
                limit?: number;
                /** @description Links that are left out. */
                offset?: number;
                /**
                 * @description Status of their target; 0: no answer.
                 * @example 404
                 */
                status?: number;
                /**
                 * @description Path on the site that they lead to, or an absolute address elsewhere.
                 * @example /pricing
                 */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_run_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The page's `id`. */
                pageId: string;
                /** @description The run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageDetails"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             *     - `api_key_domain_scope_mismatch`: The key is restricted to another domain.
             *     - `domain_not_owned`: The domain is not on the account.
             *     - `domain_access_forbidden`: The audit is of a domain that is no longer on the account.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such thing, or it is not the account's. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `archive_unavailable`: The audit's pages are in cold storage, which cannot be read. Try again later.
             *     - `service_unavailable`: A part that this needs is away; nothing was changed. Try again.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description Signed in. */
            204: {
                headers: {
                    /** @description The session. */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent cannot be used; `issues` says where and why. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The e-mail address or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request comes from a page of another site. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not `application/json`, or it is compressed. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A session changes something without its token in `x-csrf-token`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Use against each limit of the plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            /** @description No credential, a malformed or an unknown one. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /**
             * @description - `requires_unscoped_key`: The key is restricted to one domain; this needs an account-wide one.
             *     - `csrf_token_missing`: A session changes something without its token in `x-csrf-token`.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests. `Retry-After` says when to come back; `RateLimit` and `RateLimit-Policy`, on other answers too, how many are left. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service failed. The log says why, under the `x-request-id` of the answer. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A part that this needs is away; nothing was changed. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything is usable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Something is not. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    get_traffic_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This process can serve visitors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrafficReadiness"];
                };
            };
            /** @description It has not read the domains yet, or is about to end. `Retry-After` says when to ask again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrafficReadiness"];
                };
            };
        };
    };
}
