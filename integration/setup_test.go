package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// TestSetup sets up a company of 122 tables and 1,801 associations with the programs and
// the commands of DEPLOYMENT.md, from an empty server to answers over HTTP. Six tables
// are encrypted and are read through views, by an account that can do nothing else.
func TestSetup(t *testing.T) {
	programs := &setupPrograms{
		provision: &example{buildProgram(t, "cmd/qed-provision")},
		joingraph: &example{buildProgram(t, "cmd/qed-joingraph")},
		serve:     &example{buildProgram(t, "cmd/qed-serve")},
	}
	for name, open := range map[string]func(*testing.T, string) *exampleServer{
		"MariaDB": mariaDBExample, "MySQL": mySQLExample, "PostgreSQL": postgreSQLExample,
	} {
		t.Run(name, func(t *testing.T) {
			s := &setup{exampleServer: open(t, "fieldservice"), setupPrograms: programs, folder: t.TempDir()}
			s.create(t)
			s.writePolicy(t)
			s.apply(t)
			s.graph(t)
		})
	}
}

type setupPrograms struct{ provision, joingraph, serve *example }

// setup is the company on a server.
type setup struct {
	*exampleServer
	*setupPrograms
	folder string // with the files of a person who sets up
}

const (
	setupAccount = "qed_agent"
	setupKey     = "it's a k\u00e9y"
)

func (s *setup) owner() string { return s.url(s.root, "", s.database) }
func (s *setup) agent() string { return s.url(setupAccount, examplePassword, s.database) }

func (s *setup) file(name string) string { return filepath.Join(s.folder, name) }

// postgres reports whether the server is PostgreSQL, not MySQL or MariaDB.
func (s *setup) postgres() bool { return s.scheme == "postgres" }

// must runs a program that has to succeed.
func (s *setup) must(t *testing.T, program *example, env []string, args ...string) string {
	t.Helper()
	out, ok := program.run(t, env, args...)
	if !ok {
		t.Fatalf("%s %s:\n%s", filepath.Base(program.path), strings.Join(args, " "), out)
	}
	return out
}

// create creates the tables as the application does, with Sequelize, and adds rows.
func (s *setup) create(t *testing.T) {
	t.Helper()
	s.node(t, "testdata/setup/models.cjs")
	insertRows(t, s)
	associations := s.node(t, "../joinpath/joingraph/export/sequelize.cjs", "testdata/setup/models.cjs")
	if err := os.WriteFile(s.file("associations.json"), associations, 0o600); err != nil {
		t.Fatal(err)
	}
}

// node runs a script of Node.js with Sequelize, and returns its output.
func (s *setup) node(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(integration.Sequelize(t), "node_modules"), "DATABASE_URL="+s.owner())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v %s", strings.Join(args, " "), err, err.(*exec.ExitError).Stderr)
	}
	return out
}

// writePolicy lets a program write a policy, and adds what a person does: the views, the
// encrypted columns, and which rows a session may see.
func (s *setup) writePolicy(t *testing.T) {
	t.Helper()
	s.must(t, s.joingraph, nil, "-dsn", s.owner(), "-write-policy", s.file("policy.json"))
	var p secureview.Policy
	text, err := os.ReadFile(s.file("policy.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	prefix, account, number := "", "'"+setupAccount+"'@'%'", "DECIMAL(10,2)"
	if s.postgres() {
		prefix, account, number = "app.", setupAccount, "numeric"
	}
	p.Views = map[string]string{
		"user": "secure_user", "employee": "secure_employee", "workOrder": "secure_workorder", "customer": "secure_customer",
		"customerLocation": "secure_customerlocation", "customerContact": "secure_customercontact",
	}
	customers := []secureview.Filter{{Column: "id", Setting: prefix + "customerIds", List: true, Optional: true}}
	ofCustomer := []secureview.Filter{{Column: "customerId", Setting: prefix + "customerIds", List: true, Optional: true}}
	texts := func(names ...string) map[string]string {
		m := map[string]string{}
		for _, name := range names {
			m[name] = "text"
		}
		return m
	}
	employee := texts("firstName", "lastName", "email", "phone")
	employee["salary"] = number
	p.Setup = &secureview.Setup{
		Account: account,
		Key:     &secureview.Key{Setting: prefix + "aesKey"},
		Tables: map[string]secureview.TableSetup{
			"user":             {Encrypted: texts("login", "email")},
			"employee":         {Encrypted: employee},
			"customer":         {Encrypted: texts("name", "taxId"), Filters: customers},
			"customerContact":  {Encrypted: texts("firstName", "lastName", "email", "phone"), Filters: ofCustomer},
			"customerLocation": {Encrypted: texts("name", "street"), Filters: ofCustomer},
			"workOrder": {Encrypted: texts("title", "description"), Filters: append(ofCustomer,
				secureview.Filter{Column: "id", Setting: prefix + "workOrderIds", List: true, Optional: true})},
		},
	}
	p.Views, p.Setup.Tables = spelt(&p, p.Views), spelt(&p, p.Setup.Tables)
	if text, err = json.MarshalIndent(p, "", "  "); err == nil {
		err = os.WriteFile(s.file("policy.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spelt returns a map of tables with their names as the policy has them: a server can fold
// names to lower case.
func spelt[V any](p *secureview.Policy, of map[string]V) map[string]V {
	out := map[string]V{}
	for table := range p.Tables {
		for name, v := range of {
			if strings.EqualFold(name, table) {
				out[table] = v
			}
		}
	}
	return out
}

// apply makes the views and the account.
func (s *setup) apply(t *testing.T) {
	t.Helper()
	out := s.must(t, s.provision, nil, "-policy", s.file("policy.json"), "-dsn", s.owner(), "-apply", "-as", s.agent())
	if !strings.Contains(out, "and nothing else") {
		t.Errorf("the output of qed-provision:\n%s", out)
	}
}

// graph makes the join graph with the account of the owner. No association is lost.
func (s *setup) graph(t *testing.T) {
	t.Helper()
	out := s.must(t, s.joingraph, nil, "-dsn", s.owner(), "-policy", s.file("policy.json"),
		"-models", s.file("associations.json"), "-out", s.file("graph.json"))
	f, err := os.Open(s.file("graph.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	schema, err := joinpath.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	associations := 0
	for _, r := range schema.Relationships {
		for _, from := range r.Provenance {
			if strings.Contains(from, "sequelize: ") {
				associations++
			}
		}
	}
	if len(schema.Tables) != 122 || associations != 1801 {
		t.Errorf("the graph has %d tables and %d of 1801 associations:\n%s", len(schema.Tables), associations, out)
	}
}

func mySQLExample(t *testing.T, database string) *exampleServer {
	t.Helper()
	// As servers on Linux are by default, unlike the others of these tests.
	config := integration.MySQLOwn(t, "--lower-case-table-names=0").Config()
	mustExec(t, connect(t, config), "CREATE DATABASE "+database)
	config.DBName = database
	return &exampleServer{"mysql", config.Addr, config.User, database, connect(t, config)}
}

// setupRows are the rows of the company: a table, an id, and columns. A column with ! is
// encrypted.
const setupRows = `
country 1 name=Portugal
region 1 name=Norte countryId=1
city 1 name=Porto regionId=1
currency 1 name=Euro isoCode=EUR
company 1 name=Group
branch 1 name=Porto cityId=1
department 1 name=Field branchId=1
role 1 name=user
user 1 login!=rosa email!=rosa@example.org departmentId=1 roleId=1
costCenter 1 name=Field code=F departmentId=1
employee 1 userId=1 departmentId=1 cityId=1 firstName!=Rosa lastName!=Ferreira jobTitle=technician salary!=2890.50 active=1
employee 2 userId=1 departmentId=1 cityId=1 firstName!=Ivo lastName!=Santos jobTitle=technician salary!=2150 active=1
employee 3 userId=1 departmentId=1 cityId=1 firstName!=Ulla lastName!=Berg jobTitle=technician salary!=2300 active=0
customerGroup 1 name=Logistics
paymentTerm 1 name=Net days=30
priceList 1 name=Standard currencyId=1
customer 1 customerGroupId=1 cityId=1 paymentTermId=1 priceListId=1 accountManagerId=3 name!=Kestrel taxId!=PT-501442 status=active
customer 2 customerGroupId=1 cityId=1 paymentTermId=1 priceListId=1 accountManagerId=3 name!=Harbour taxId!=SE-556677 status=active
customerLocation 1 customerId=1 cityId=1 name!=Depot street!=Rua
customerLocation 2 customerId=2 cityId=1 name!=Quay street!=Kaj
workOrderType 1 name=Repair
workOrderPriority 1 name=High
workOrder 1 customerId=1 customerLocationId=1 workOrderTypeId=1 workOrderPriorityId=1 dispatcherId=3 title!=Lift status=open
workOrder 2 customerId=2 customerLocationId=2 workOrderTypeId=1 workOrderPriorityId=1 dispatcherId=3 title!=Crane status=open
workOrder 3 customerId=2 customerLocationId=2 workOrderTypeId=1 workOrderPriorityId=1 dispatcherId=3 title!=Door status=closed
workTime 1 employeeId=1 workOrderId=1 hours=12
workTime 2 employeeId=1 workOrderId=2 hours=11
workTime 3 employeeId=2 workOrderId=3 hours=8
manufacturer 1 countryId=1 name=Otis
assetCategory 1 name=Lift
assetModel 1 manufacturerId=1 assetCategoryId=1 name=Gen2
asset 1 assetModelId=1 customerLocationId=1 serial=L1
inspectionTemplate 1 assetCategoryId=1 name=Yearly
inspection 1 workOrderId=1 inspectionTemplateId=1 inspectorId=2 assetId=1 result=passed
inspection 2 workOrderId=2 inspectionTemplateId=1 inspectorId=1 assetId=1 result=failed
inspection 3 workOrderId=3 inspectionTemplateId=1 inspectorId=1 assetId=1 result=failed`

func insertRows(t *testing.T, s *setup) {
	t.Helper()
	encrypt, quote := "AES_ENCRYPT(%s, %s)", "`"
	if s.postgres() {
		encrypt, quote = "pgp_sym_encrypt(%s, %s)", `"`
		integration.PGCrypto(t, s.admin)
		mustExec(t, s.admin, "CREATE EXTENSION pgcrypto")
	}
	literal := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	for line := range strings.Lines(strings.TrimSpace(setupRows)) {
		fields := strings.Fields(line)
		columns, values := []string{"id", "createdAt", "updatedAt"}, []string{fields[1], "'2026-01-01'", "'2026-01-01'"}
		for _, field := range fields[2:] {
			column, value, _ := strings.Cut(field, "=")
			value = literal(value)
			if plain, ok := strings.CutSuffix(column, "!"); ok {
				column, value = plain, fmt.Sprintf(encrypt, value, literal(setupKey))
			}
			columns, values = append(columns, column), append(values, value)
		}
		for i, column := range columns {
			columns[i] = quote + column + quote
		}
		mustExec(t, s.admin, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", quote+fields[0]+quote,
			strings.Join(columns, ", "), strings.Join(values, ", ")))
	}
}
