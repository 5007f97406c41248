package fieldservice

import _ "embed"

// ManualGraph is the join graph's file of corrections, version 1: the keys that the database does not declare.
// Four of its relationships are doubtful (their confidence is below 0.7): a note or an attachment belongs to whatever
// table its entityType names, and a vehicle's model is no model of equipment.
//
//go:embed join_graph_manual.json
var ManualGraph string

// PolicyJSON is what may be read, as a guard's policy: every table with its columns, and the secure views that stand
// for the six sensitive tables. The sensitive tables are listed with the columns of their views.
//
//go:embed policy.json
var PolicyJSON string
