-- Questions to any merged database: sqlite3 -column -header run.db <queries.sql

.print How was each file placed, and what of it is there?
SELECT f.name AS file, m.name AS machine, p.clock_name AS clock, p.rule,
  (SELECT ifnull(sum(events), 0) FROM tm_accounting a WHERE a.trace_file_id = f.id AND a.reason = 'placed') AS placed,
  (SELECT ifnull(sum(events), 0) FROM tm_accounting a WHERE a.trace_file_id = f.id AND a.reason <> 'placed') AS dropped
FROM tm_placement p JOIN trace_file f ON f.id = p.trace_file_id LEFT JOIN machine m ON m.id = p.machine_id
ORDER BY f.processing_order, m.id, p.clock_id;

.print
.print What was lost, and why?
SELECT f.name AS file, a.reason, sum(a.events) AS events
FROM tm_accounting a JOIN trace_file f ON f.id = a.trace_file_id
WHERE a.reason <> 'placed' GROUP BY f.id, a.reason ORDER BY events DESC;

.print
.print Which slices took longest on each machine?
SELECT machine, name, count, total_ms FROM (
  SELECT ifnull(m.name, 'host') AS machine, s.name, count(*) AS count, sum(s.dur) / 1e6 AS total_ms,
    row_number() OVER (PARTITION BY t.machine_id ORDER BY sum(s.dur) DESC) AS place
  FROM slice s JOIN track t ON t.id = s.track_id LEFT JOIN machine m ON m.id = t.machine_id
  WHERE s.dur > 0 GROUP BY t.machine_id, s.name)
WHERE place <= 3 ORDER BY machine, place;

.print
.print How far is it from one end of a flow to the other, start to start?
SELECT a.name AS sent, b.name AS received, count(*) AS count, min(b.ts - a.ts) / 1e6 AS least_ms,
  max(b.ts - a.ts) / 1e6 AS most_ms
FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in
GROUP BY a.name, b.name ORDER BY most_ms DESC LIMIT 10;

.print
.print When is each machine behind the first? Same slice, n-th time, on each
WITH nth AS (
  SELECT t.machine_id AS machine_id, s.name, s.ts,
    row_number() OVER (PARTITION BY t.machine_id, s.name ORDER BY s.ts) AS n
  FROM slice s JOIN track t ON t.id = s.track_id)
SELECT name, n, count(*) AS machines, (max(ts) - min(ts)) / 1e6 AS skew_ms
FROM nth GROUP BY name, n HAVING count(*) > 1 ORDER BY skew_ms DESC LIMIT 10;
