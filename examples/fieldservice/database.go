package fieldservice

import "github.com/qedkit/qed/internal/command/database"

// Database is the company's database, for programs that can read others too.
func Database() *database.Example {
	return &database.Example{
		Name: "A field-service company in SQLite", Create: Create, Policy: Policy("sqlite", "main"), Graph: ManualGraph,
	}
}
