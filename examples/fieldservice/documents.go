package fieldservice

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/qedkit/qed/secureview"
)

// ManualGraph is the join graph's file of corrections, version 1: the keys that the database does not declare.
// Four of its relationships are doubtful (their confidence is below 0.7): a note or an attachment belongs to whatever
// table its entityType names, and a vehicle's model is no model of equipment.
//
//go:embed join_graph_manual.json
var ManualGraph string

//go:embed policy.json
var policyJSON string

// Policy is what may be read, as a guard's policy: every table with its columns, and the secure views that stand for
// the six sensitive tables. The sensitive tables are listed with the columns of their views. The schema is "main" in
// SQLite, the database in MySQL, a schema such as "public" in PostgreSQL. Each call returns a new policy.
func Policy(dialect, schema string) *secureview.Policy {
	p, err := secureview.ReadPolicy(strings.NewReader(policyJSON))
	if err != nil {
		panic(fmt.Sprintf("fieldservice: policy.json: %v", err)) // it is part of the program
	}
	p.Dialect, p.Schema = dialect, schema
	return p
}
