-- An index entry holds the path again. New pages without a snapshot are asked for rarely (`include=origin`), and are counted
-- among a domain's pages without one.
drop index visit_paths_any;
