package integration_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// TestSetup sets up a company of 122 tables and 1,801 associations with the programs and
// the commands of DEPLOYMENT.md, from an empty server to answers over HTTP. Six tables
// are encrypted and are read through views, by an account that can do nothing else.
func TestSetup(t *testing.T) {
	programs := &setupPrograms{
		provision: &example{integration.Program(t, "cmd/qed-provision")},
		joingraph: &example{integration.Program(t, "cmd/qed-joingraph")},
		serve:     &example{integration.Program(t, "cmd/qed-serve")},
	}
	for name, open := range map[string]func(*testing.T, string) *exampleServer{
		"MariaDB": mariaDBExample, "MySQL": mySQLExample, "PostgreSQL": postgreSQLExample,
	} {
		t.Run(name, func(t *testing.T) {
			s := &setup{
				exampleServer: open(t, "fieldservice"), setupPrograms: programs, folder: t.TempDir(),
				source: "header:X-Customer-Ids", ran: map[string]bool{},
			}
			s.create(t)
			s.writePolicy(t)
			s.apply(t)
			model := setupModel(t, setupQuestions, s.postgres())
			s.graph(t, model)
			address := s.start(t, model)
			for _, q := range setupQuestions {
				t.Run(q.name, func(t *testing.T) { s.answers(t, address, q) })
			}
			t.Run("DEPLOYMENT.md", func(t *testing.T) { checkDocument(t, s.ran) })
		})
	}
}

type setupPrograms struct{ provision, joingraph, serve *example }

// setup is the company on a server.
type setup struct {
	*exampleServer
	*setupPrograms
	folder string          // with the files of a person who sets up
	source string          // the part of a request that has the customers
	ran    map[string]bool // the programs, each with a flag
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
	s.record(program, args)
	out, ok := program.run(t, env, args...)
	if !ok {
		t.Fatalf("%s %s:\n%s", filepath.Base(program.path), strings.Join(args, " "), out)
	}
	return out
}

// record records which flags of a program the test uses.
func (s *setup) record(program *example, args []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			s.ran[filepath.Base(program.path)+" "+arg] = true
		}
	}
}

// checkDocument checks that the document has at most five commands, with flags that the test
// uses.
func checkDocument(t *testing.T, ran map[string]bool) {
	text, err := os.ReadFile("../DEPLOYMENT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```\n")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "node sequelize.cjs") || !strings.HasPrefix(lines[4], "curl ") {
		t.Errorf("the commands are %q", lines)
	}
	for _, line := range lines[1:4] {
		_, command, _ := strings.Cut(line, "qed-")
		words := strings.Fields("qed-" + command)
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "-") && !ran[words[0]+" "+word] {
				t.Errorf("%s %s is not tested", words[0], word)
			}
		}
	}
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

// graph makes the join graph with the account of the owner, with a person's corrections
// and a model's verdicts on what nobody declared. No association is lost.
func (s *setup) graph(t *testing.T, model []string) {
	t.Helper()
	corrections := `{"version": 1, "relationships": [{"from_table": "payment", "from_column": "invoiceId", "to_table": "invoice", "to_column": "id",
		"type": "manual", "confidence": 1, "cardinality": "N:1", "role": "settled invoice"}]}`
	if err := os.WriteFile(s.file("corrections.json"), []byte(corrections), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.must(t, s.joingraph, model, "-dsn", s.owner(), "-policy", s.file("policy.json"), "-models", s.file("associations.json"),
		"-corrections", s.file("corrections.json"), "-validate", "-verdicts", s.file("verdicts.json"), "-out", s.file("graph.json"))
	if strings.Contains(out, "associations.json: ") || strings.Contains(out, "corrections.json: ") {
		t.Errorf("something is not used:\n%s", out)
	}
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

// start starts the program with the agent's account, and returns its address. Requests
// name the customers that their user may see.
func (s *setup) start(t *testing.T, model []string) (address string) {
	t.Helper()
	setting := "customerIds"
	if s.postgres() {
		setting = "app.customerIds"
	}
	args := []string{"-dsn", s.agent(), "-policy", s.file("policy.json"), "-graph", s.file("graph.json"),
		"-listen", "127.0.0.1:0", "-trust-local", "-session", setting + "=" + s.source}
	s.record(s.serve, args)
	program := exec.CommandContext(t.Context(), s.serve.path, args...)
	program.Dir = s.folder
	program.Env = append(append(os.Environ(), model...), "DB_ENCRYPT_KEY="+setupKey, "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=", "DB_NAME=", "QED_SERVE_TOKEN=")
	var stderr strings.Builder
	program.Stderr = &stderr
	out, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(os.Interrupt)
		_ = program.Wait()
	})
	var log strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			address, _, _ = strings.Cut(rest, " ")
			break
		}
	}
	if address == "" {
		t.Fatalf("qed-serve does not start:\n%s%s", &log, &stderr)
	}
	if n := strings.Count(log.String(), "\n"); n > 10 || strings.Contains(log.String(), examplePassword) || strings.Contains(log.String(), setupKey) {
		t.Errorf("the start of qed-serve has %d lines:\n%s", n, &log)
	}
	go io.Copy(io.Discard, out)
	return address
}

// A complete is the last event of the stream.
type complete struct {
	Event   string
	Answer  string `json:"final_answer"`
	Queries []qed.Query
	Partial bool
}

// ask sends the request of the application's backend, for a user who may see some
// customers, and returns the last event.
func (s *setup) ask(t *testing.T, address, customers, question string) complete {
	t.Helper()
	last, text := s.send(t, address, customers, question)
	if last.Event != "complete" {
		t.Fatalf("%s: %s", question, text)
	}
	return last
}

// send sends such a request, and returns the last event and the whole response.
func (s *setup) send(t *testing.T, address, customers, question string) (last complete, all string) {
	t.Helper()
	conversation := map[string]string{"id": fmt.Sprint("c-", time.Now().UnixNano()), "user_id": "u", "company_id": "c"}
	header, ofHeader := strings.CutPrefix(s.source, "header:")
	if !ofHeader {
		conversation[s.source] = customers
	}
	body, err := json.Marshal(map[string]any{"input": map[string]string{"message": question}, "conversation": conversation})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/internal/chat/stream", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if ofHeader {
		request.Header.Set(header, customers)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text.WriteString(lines.Text() + "\n")
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			last = complete{}
			if err := json.Unmarshal([]byte(data), &last); err != nil {
				t.Fatal(err)
			}
		}
	}
	return last, text.String()
}

// A setupQuestion is a question with the tables and the statement that the model writes, if
// the prompt has the joins that it needs. Names in brackets are quoted.
type setupQuestion struct {
	name, question string
	customers      string // that the user may see
	tables         []string
	joins          []string // in the prompt and in the proof
	sql            string
	views          []string
	want, not      string // in the answer, which repeats the rows
}

var setupQuestions = []setupQuestion{
	{"a count", "How many technicians are active?", "1,2", []string{"employee"}, nil,
		"SELECT COUNT(*) AS n FROM employee WHERE [jobTitle] = 'technician' AND active = 1", []string{"secure_employee"}, "2", ""},
	{"through a view to a table", "Which employees worked more than 20 hours?", "1,2", []string{"employee", "workTime"},
		[]string{"workTime.employeeId", "employee.id"},
		"SELECT e.[firstName], SUM(w.hours) AS hours FROM employee e JOIN [workTime] w ON w.[employeeId] = e.id GROUP BY e.id, e.[firstName] HAVING SUM(w.hours) > 20",
		[]string{"secure_employee"}, "Rosa", "Ivo"},
	{"through two views", "What did the inspections of the customer Harbour find?", "1,2", []string{"inspection", "customer"},
		[]string{"inspection.workOrderId", "workOrder.customerId"},
		"SELECT c.name, i.result FROM inspection i JOIN [workOrder] w ON w.id = i.[workOrderId] JOIN customer c ON c.id = w.[customerId] WHERE c.name = 'Harbour'",
		[]string{"secure_customer", "secure_workorder"}, "failed", "passed"},
	{"one customer's", "Which customers have open work orders?", "1", []string{"customer", "workOrder"}, []string{"workOrder.customerId", "customer.id"},
		"SELECT c.name, w.title FROM customer c JOIN [workOrder] w ON w.[customerId] = c.id WHERE w.status = 'open'", []string{"secure_customer", "secure_workorder"},
		"Kestrel", "Harbour"},
	{"the other's", "Which customers have open work orders?", "2", []string{"customer", "workOrder"}, []string{"workOrder.customerId", "customer.id"},
		"SELECT c.name, w.title FROM customer c JOIN [workOrder] w ON w.[customerId] = c.id WHERE w.status = 'open'", []string{"secure_customer", "secure_workorder"},
		"Harbour", "Kestrel"},
}

// answers asks a question, and checks the answer and its proof.
func (s *setup) answers(t *testing.T, address string, q setupQuestion) {
	got := s.ask(t, address, q.customers, q.question)
	if got.Partial || !strings.Contains(got.Answer, q.want) || q.not != "" && strings.Contains(got.Answer, q.not) || len(got.Queries) != 1 {
		t.Fatalf("%+v", got)
	}
	query := got.Queries[0]
	views := slices.Sorted(slices.Values(query.Views))
	if diff := cmp.Diff(q.views, views); diff != "" {
		t.Errorf("the views (-want +got):\n%s", diff)
	}
	var joins []string
	for _, j := range query.JoinPath {
		if joins = append(joins, j.String()); j.Relationship != qed.JoinKnown {
			t.Errorf("%v is %s", j, j.Relationship)
		}
	}
	for _, want := range q.joins {
		if !strings.Contains(strings.ToLower(strings.Join(joins, "\n")), strings.ToLower(want)) {
			t.Errorf("the join path %q lacks %s", joins, want)
		}
	}
}

// setupModel starts a server with the API of chat completions, whose replies depend on what
// the prompts have: it writes a statement only if the joins that it needs are there, and
// answers with the rows.
func setupModel(t *testing.T, questions []setupQuestion, postgres bool) (env []string) {
	quote := "`"
	if postgres {
		quote = `"`
	}
	reply := func(text string) string {
		if strings.Contains(text, "relationship") && strings.Contains(text, "verdict") {
			return `{"verdicts":[]}`
		}
		at := slices.IndexFunc(questions, func(q setupQuestion) bool { return strings.Contains(text, q.question) })
		if at < 0 {
			return "OK"
		}
		q := questions[at]
		switch {
		case strings.Contains(text, "You decide who answers"):
			return `{"route":"sql"}`
		case strings.Contains(text, "You choose the tables"):
			raw, _ := json.Marshal(map[string]any{"tables": q.tables})
			return string(raw)
		case strings.Contains(text, "You write one"), strings.Contains(text, "was refused or failed"):
			for _, join := range q.joins {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(join)) {
					return `{"sql":"SELECT the_prompt_lacks_` + strings.ReplaceAll(join, ".", "_") + `"}`
				}
			}
			raw, _ := json.Marshal(map[string]any{"sql": strings.NewReplacer("[", quote, "]", quote).Replace(q.sql)})
			return string(raw)
		}
		var found []string
		for _, word := range []string{"Rosa", "Ivo", "Ulla", "Kestrel", "Harbour", "passed", "failed", "Norte", "Sul", "late"} {
			if strings.Contains(text[strings.Index(text, q.question)+len(q.question):], word) {
				found = append(found, word)
			}
		}
		if found == nil {
			return "There are {r1.n}."
		}
		return strings.Join(found, " and ") + "."
	}
	return chatServer(t, reply)
}
