package integration_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// TestSeveralSchemas sets up a company whose tables are in two schemas, or in two databases
// of MySQL and MariaDB, with the programs: a key leads from one to the other, both have a
// table region, and a table of the second is read through a secure view.
func TestSeveralSchemas(t *testing.T) {
	programs := &setupPrograms{
		provision: &example{integration.Program(t, "cmd/qed-provision")},
		joingraph: &example{integration.Program(t, "cmd/qed-joingraph")},
		serve:     &example{integration.Program(t, "cmd/qed-serve")},
	}
	ask, guard := &example{integration.Program(t, "cmd/qed-ask")}, integration.Program(t, "cmd/qed-guard")
	for _, tt := range []struct {
		name   string
		open   func(*testing.T, string) *exampleServer
		source string // of the setting of the session
	}{
		{"MariaDB", mariaDBExample, "user_id"}, {"MySQL", mySQLExample, "company_id"}, {"PostgreSQL", postgreSQLExample, "company_id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &schemas{&setup{
				exampleServer: tt.open(t, "sales_co"), setupPrograms: programs, folder: t.TempDir(), source: tt.source, ran: map[string]bool{},
			}}
			s.create(t)
			s.writePolicy(t)
			s.apply(t)
			s.shares(t)
			s.graph(t)
			s.guarded(t, guard)
			model := setupModel(t, schemaQuestions, s.postgres())
			address := s.start(t, model)
			for _, q := range schemaQuestions {
				t.Run(q.name, func(t *testing.T) { s.answers(t, address, q) })
			}
			if last, all := s.send(t, address, "", schemaQuestions[0].question); last.Event == "complete" || strings.Contains(all, "Kestrel") {
				t.Errorf("without a %s: %s", tt.source, all)
			}
			t.Run("qed-ask", func(t *testing.T) { s.asks(t, ask, model) })
		})
	}
}

// schemas is the company on a server.
type schemas struct{ *setup }

const schemaTables = `
CREATE TABLE crm_co.region (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);
CREATE TABLE crm_co.customer (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, region_id INT NOT NULL,
	FOREIGN KEY (region_id) REFERENCES crm_co.region (id));
CREATE TABLE sales_co.region (id INT PRIMARY KEY, title VARCHAR(20) NOT NULL);
CREATE TABLE sales_co.orders (id INT PRIMARY KEY, customer_id INT NOT NULL, region_id INT NOT NULL, amount INT NOT NULL,
	FOREIGN KEY (customer_id) REFERENCES crm_co.customer (id), FOREIGN KEY (region_id) REFERENCES sales_co.region (id));
CREATE TABLE crm_co.note (id INT PRIMARY KEY, order_ref INT NOT NULL, text VARCHAR(20) NOT NULL);
CREATE TABLE crm_co.payroll (id INT PRIMARY KEY, salary INT NOT NULL);
INSERT INTO crm_co.region VALUES (1, 'Norte'), (2, 'Sul');
INSERT INTO crm_co.customer VALUES (1, 'Kestrel', 1), (2, 'Harbour', 2);
INSERT INTO sales_co.region VALUES (1, 'Export');
INSERT INTO sales_co.orders VALUES (10, 1, 1, 70), (11, 2, 1, 900), (12, 2, 1, 50);
INSERT INTO crm_co.note VALUES (1, 10, 'fragile'), (2, 11, 'late');
INSERT INTO crm_co.payroll VALUES (1, 5000)`

func (s *schemas) create(t *testing.T) {
	t.Helper()
	if s.postgres() {
		mustExec(t, s.admin, "CREATE SCHEMA sales_co")
		mustExec(t, s.admin, "CREATE SCHEMA crm_co")
	} else {
		mustExec(t, s.admin, "CREATE DATABASE crm_co")
		t.Cleanup(func() { s.admin.Exec("DROP DATABASE crm_co") })
	}
	for statement := range strings.SplitSeq(schemaTables, ";") {
		mustExec(t, s.admin, statement)
	}
}

// named returns the URL of the owner with the names of the schemas.
func (s *schemas) named() string {
	if s.postgres() {
		return s.owner() + "?schema=sales_co,crm_co"
	}
	return s.owner() + "?schema=crm_co"
}

// writePolicy lets a program write a policy, and adds what a person does.
func (s *schemas) writePolicy(t *testing.T) {
	t.Helper()
	out := s.must(t, s.joingraph, nil, "-dsn", s.named(), "-write-policy", s.file("policy.json"))
	if !strings.Contains(out, "6 tables, 4 relationships") {
		t.Errorf("the output of qed-joingraph:\n%s", out)
	}
	p := s.policy(t)
	want := &secureview.Policy{
		Dialect: map[bool]string{true: "postgres", false: "mysql"}[s.postgres()], Schema: "sales_co", Views: map[string]string{},
		Tables: map[string][]string{"region": {"id", "title"}, "orders": {"id", "customer_id", "region_id", "amount"}},
		Schemas: map[string]secureview.Schema{"crm_co": {Tables: map[string][]string{
			"region": {"id", "name"}, "customer": {"id", "name", "region_id"}, "note": {"id", "order_ref", "text"}, "payroll": {"id", "salary"},
		}}},
	}
	want.Views = nil
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("the policy (-want +got):\n%s", diff)
	}
	delete(p.Schemas["crm_co"].Tables, "payroll")
	p.Schemas["crm_co"] = secureview.Schema{Tables: p.Schemas["crm_co"].Tables, Views: map[string]string{"customer": "secure_customer"}}
	setting, account := "customerIds", "'"+setupAccount+"'@'%'"
	if s.postgres() {
		setting, account = "app.customerIds", setupAccount
	}
	p.Setup = &secureview.Setup{Account: account, Tables: map[string]secureview.TableSetup{
		"crm_co.customer": {Filters: []secureview.Filter{{Column: "id", Setting: setting, List: true, Optional: true}}},
	}}
	text, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(s.file("policy.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shares applies a policy of another account with the same view, which would show the first
// account other rows.
func (s *schemas) shares(t *testing.T) {
	t.Helper()
	p := s.policy(t)
	p.Setup.Account = strings.ReplaceAll(p.Setup.Account, setupAccount, "qed_other")
	p.Setup.Tables["crm_co.customer"] = secureview.TableSetup{Encrypted: map[string]string{}}
	text, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(s.file("other.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, ok := s.provision.run(t, nil, "-policy", s.file("other.json"), "-dsn", s.owner(), "-apply")
	if ok || !strings.Contains(out, setupAccount) || !strings.Contains(out, "name another view") {
		t.Errorf("a view that another account reads was replaced: %s", out)
	}
	s.apply(t) // its own account may
}

func (s *schemas) policy(t *testing.T) *secureview.Policy {
	t.Helper()
	f, err := os.Open(s.file("policy.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := secureview.ReadPolicy(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// graph makes the join graph, with an association of an application that names the tables as
// the policy does. The database counts.
func (s *schemas) graph(t *testing.T) {
	t.Helper()
	models := `{"version": 1, "relationships": [{"from_table": "crm_co.note", "from_column": "order_ref", "to_table": "orders", "to_column": "id",
		"type": "association", "cardinality": "N:1"}]}`
	if err := os.WriteFile(s.file("models.json"), []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.must(t, s.joingraph, nil, "-dsn", s.owner(), "-policy", s.file("policy.json"), "-models", s.file("models.json"),
		"-count", "-out", s.file("graph.json"))
	if strings.Contains(out, "models.json: ") || strings.Contains(out, "not counted") {
		t.Errorf("something is not used:\n%s", out)
	}
	f, err := os.Open(s.file("graph.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	graph, err := joinpath.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	var joins []string
	for _, r := range graph.Relationships {
		joins = append(joins, r.String())
	}
	if diff := cmp.Diff([]string{
		"crm_co.customer.region_id -> crm_co.region.id", "crm_co.note.order_ref -> orders.id",
		"orders.customer_id -> crm_co.customer.id", "orders.region_id -> region.id",
	}, joins); diff != "" {
		t.Errorf("the joins (-want +got):\n%s", diff)
	}
}

// guarded passes statements through qed-guard: what is printed always names the schema.
func (s *schemas) guarded(t *testing.T, program string) {
	t.Helper()
	for statement, want := range map[string]string{
		"SELECT amount FROM orders":                                                            "[sales_co].[orders]",
		"SELECT name FROM crm_co.customer":                                                     "[crm_co].[secure_customer]",
		"SELECT crm_co.region.name FROM crm_co.region JOIN region ON TRUE":                     "give each an alias",
		"SELECT r.name, s.title FROM crm_co.region r, region s WHERE r.id = s.id":              "[sales_co].[region]",
		"SELECT name FROM customer":                                                            "crm_co.customer",
		"SELECT salary FROM crm_co.payroll":                                                    "does not exist",
		"SELECT id FROM hr_co.person":                                                          "declared: crm_co, sales_co",
		"SELECT name FROM crm_co.secure_customer":                                              "[crm_co].[secure_customer]",
		"SELECT title FROM crm_co.region":                                                      "column",
		"SELECT region.title FROM sales_co.region JOIN orders ON region.id = orders.region_id": "[sales_co].[region]",
	} {
		line, _ := json.Marshal(map[string]string{"sql": statement})
		cmd := exec.CommandContext(t.Context(), program, "-policy", s.file("policy.json"))
		cmd.Stdin = strings.NewReader(string(line) + "\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		quote := "`"
		if s.postgres() {
			quote = `\"`
		}
		if !strings.Contains(string(out), strings.NewReplacer("[", quote, "]", quote).Replace(want)) {
			t.Errorf("%s: %s", statement, out)
		}
	}
}

// asks asks with qed-ask, with the account that cannot read the table behind the view.
func (s *schemas) asks(t *testing.T, program *example, model []string) {
	t.Helper()
	q := schemaQuestions[0]
	out := s.must(t, program, append(model, "OPENAI_API_KEY=k"), "-dsn", s.agent(), "-policy", s.file("policy.json"), "-graph", s.file("graph.json"), q.question)
	if !strings.Contains(out, "Kestrel") || !strings.Contains(out, "Harbour") || !strings.Contains(out, "crm_co") {
		t.Errorf("the answer of qed-ask:\n%s", out)
	}
}

var schemaQuestions = []setupQuestion{
	{"a key across schemas", "What did the customers order?", "1,2", []string{"orders", "crm_co.customer"},
		[]string{"orders.customer_id", "crm_co.customer.id"},
		"SELECT c.name, o.amount FROM orders o JOIN crm_co.customer c ON c.id = o.customer_id", []string{"crm_co.secure_customer"}, "Harbour", ""},
	{"one customer's", "What did the customers order?", "1", []string{"orders", "crm_co.customer"},
		[]string{"orders.customer_id", "crm_co.customer.id"},
		"SELECT c.name, o.amount FROM orders o JOIN crm_co.customer c ON c.id = o.customer_id", []string{"crm_co.secure_customer"}, "Kestrel", "Harbour"},
	{"over three tables of both", "Orders by the customers' region?", "1,2", []string{"orders", "crm_co.region"},
		[]string{"orders.customer_id", "crm_co.customer.region_id"},
		"SELECT r.name, SUM(o.amount) AS amount FROM orders o JOIN crm_co.customer c ON c.id = o.customer_id JOIN crm_co.region r ON r.id = c.region_id GROUP BY r.name",
		[]string{"crm_co.secure_customer"}, "Sul", ""},
	{"one name in two schemas", "Which export orders have which region of the customer?", "1,2", []string{"region", "orders", "crm_co.region"},
		[]string{"orders.region_id", "crm_co.region.id"},
		"SELECT region.title, r.name, o.amount FROM orders o JOIN region ON region.id = o.region_id JOIN crm_co.customer c ON c.id = o.customer_id JOIN crm_co.region r ON r.id = c.region_id",
		[]string{"crm_co.secure_customer"}, "Norte", ""},
	{"an association across schemas", "Which notes do orders have?", "1,2", []string{"crm_co.note", "orders"}, []string{"crm_co.note.order_ref", "orders.id"},
		"SELECT n.text, o.amount FROM crm_co.note n JOIN orders o ON o.id = n.order_ref", nil, "late", ""},
}
