package fieldservice

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/qedkit/qed/secureview"
)

// ManualGraph is a file of relationships that the database does not declare, for
// joingraph.Combine. Four of them are doubtful (their confidence is below 0.7): a note or
// an attachment belongs to the table that its entityType names, and the model of a
// vehicle is no equipmentModel.
//
//go:embed join_graph_manual.json
var ManualGraph string

//go:embed policy.json
var policyJSON string

// Policy returns the guard's policy: every table with its columns, and the secure views
// that replace the six sensitive tables. The sensitive tables are listed with the columns
// of their views. The schema is "main" in SQLite, the database in MySQL, and a schema such
// as "public" in PostgreSQL. Each call returns a new policy.
func Policy(dialect, schema string) *secureview.Policy {
	p, err := secureview.ReadPolicy(strings.NewReader(policyJSON))
	if err != nil {
		panic(fmt.Sprintf("fieldservice: policy.json: %v", err)) // not reached: the file is embedded
	}
	p.Dialect, p.Schema = dialect, schema
	return p
}
