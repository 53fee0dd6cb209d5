#!/bin/sh
# Writes tracking_params.txt anew from the npm package tidy-url (MIT) and the additions below. Needs npm and node.
# Run it by hand, read the difference, and run the crawler's tests.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

package=$(cd "$work" && npm pack --silent tidy-url)
tar -xzf "$work/$package" -C "$work"

node - "$work/package" <<'JS' > tracking_params.txt
const folder = process.argv[2];
const { version } = require(`${folder}/package.json`);
const rules = require(`${folder}/data/rules.js`).find((site) => site.name === "Global").rules;

// Short or general names that a shop or a newspaper may well use for its own pages.
const tooGeneral = new Set(["__s", "ncid", "cmpid", "mbid", "elq"]);
// Whole families: their makers add names now and then.
const families = ["utm_*", "mtm_*", "hsa_*"];
// Click identifiers that advertising networks append to every landing page; each is documented by its network.
const clickIds = [
  "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", // Google
  "msclkid", // Microsoft
  "igshid", "igsh", // Instagram
  "twclid", // X
  "ttclid", // TikTok
  "li_fat_id", // LinkedIn
  "epik", // Pinterest
  "sccid", "sc_click_id", // Snapchat
  "yclid", "ysclid", "_openstat", // Yandex
  "_ga", "_gl", // Google Analytics across domains
  "_kx", // Klaviyo
  "irclickid", // Impact
  "wickedid", // Wicked Reports
  "s_kwcid", // Adobe
  "ef_id", // Adobe
];

const inFamily = (name) => families.some((family) => name.startsWith(family.slice(0, -1)));
const names = [...rules, ...clickIds]
  .map((name) => name.toLowerCase())
  .filter((name) => !tooGeneral.has(name) && !inFamily(name));
const date = new Date().toISOString().slice(0, 10);
console.log(`# Query parameters that are not part of a page's identity. Lower case; a name that ends in * is a prefix.`);
console.log(`# Source: npm tidy-url ${version} (MIT), rules "Global", and the additions of refresh-tracking-params.sh; ${date}.`);
console.log([...new Set([...families, ...names])].sort().join("\n"));
JS
