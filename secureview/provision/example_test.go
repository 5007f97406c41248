package provision_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/provision"
)

func Example() {
	script, err := provision.SQL(&secureview.Policy{
		Dialect: "postgres",
		Schema:  "app",
		Tables: map[string][]string{
			"employee": {"id", "name", "ssn"},
			"dept":     {"id", "name"},
		},
		Views: map[string]string{"employee": "secure_employee"},
		Setup: &secureview.Setup{
			Account: "agent",
			Key:     &secureview.Key{Setting: "app.key"},
			Tables: map[string]secureview.TableSetup{
				"employee": {
					Encrypted: map[string]string{"ssn": "text"},
					Filters:   []secureview.Filter{{Column: "tenant_id", Setting: "app.tenant"}},
				},
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Print only the views and the rights to read.
	for _, statement := range script {
		if strings.Contains(statement, "CREATE OR REPLACE VIEW") || strings.Contains(statement, "GRANT SELECT") {
			fmt.Println(statement)
		}
	}
	// Output:
	// -- The secure views. They read session settings themselves.
	// CREATE OR REPLACE VIEW "app"."secure_employee" WITH (security_barrier = true) AS
	// SELECT "id",
	//   "name",
	//   "public".pgp_sym_decrypt("ssn", NULLIF(pg_catalog.current_setting('app.key', true), '')) AS "ssn"
	// FROM "app"."employee"
	// WHERE CAST("tenant_id" AS pg_catalog.text) = (SELECT NULLIF(pg_catalog.current_setting('app.tenant', true), ''))
	// GRANT SELECT ("id", "name") ON TABLE "app"."dept" TO "agent"
	// GRANT SELECT ON TABLE "app"."secure_employee" TO "agent"
}
