-- Lines of the page's own answer that crawlers act on, and failures of a page that shows nothing; both JSON, null: none.
alter table snapshots add column headers text;
alter table snapshots add column problems text;
