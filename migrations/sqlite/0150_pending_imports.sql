-- Lines of an access log that are being counted in a visit store beside the database, and the name of their batch there.
-- Null: they are counted.

alter table visit_imports add column batch text;
