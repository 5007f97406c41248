package integration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/secureview"
)

// TestServeSessions asks qed-serve on a database whose secure views read the key and the
// customers of the user from the session. The service in front of it names the customers
// in a header. The filters are optional: without the setting they would pass all rows.
func TestServeSessions(t *testing.T) {
	provision, serve := &example{integration.Program(t, "cmd/qed-provision")}, integration.Program(t, "cmd/qed-serve")
	t.Run("MariaDB", func(t *testing.T) {
		s := mariaDBExample(t, "servesessions")
		t.Cleanup(func() { s.admin.Exec("DROP USER IF EXISTS qed_agent") })
		mustExec(t, s.admin, "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL, taxId VARBINARY(255)) CHARACTER SET utf8mb4")
		testServeSessions(t, provision, serve, s, sessionSetup{
			insert:  "INSERT INTO customer VALUES (%d, '%s', AES_ENCRYPT('%s', '" + sessionKey + "'))",
			account: "'qed_agent'@'%'", right: "SELECT ON servesessions.secure_customer",
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		s := postgreSQLExample(t, "servesessions")
		integration.PGCrypto(t, s.admin)
		mustExec(t, s.admin, "CREATE EXTENSION pgcrypto")
		t.Cleanup(func() {
			s.admin.Exec("DROP OWNED BY qed_agent")
			s.admin.Exec("DROP ROLE qed_agent")
		})
		mustExec(t, s.admin, `CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL, "taxId" bytea)`)
		testServeSessions(t, provision, serve, s, sessionSetup{
			insert:  "INSERT INTO customer VALUES (%d, '%s', pgp_sym_encrypt('%s', '" + sessionKey + "'))",
			account: "qed_agent", prefix: "app.", right: "SELECT ON secure_customer",
		})
	})
}

const sessionKey = "a key that nobody sees"

// sessionSetup has what differs between servers.
type sessionSetup struct {
	insert  string // a customer: id, name, tax id
	account string
	prefix  string // of settings
	right   string // to read the view
}

// policyFile writes the policy of a table whose view decrypts and filters.
func (o *sessionSetup) policyFile(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(&secureview.Policy{
		Tables: map[string][]string{"customer": {"id", "name", "taxId"}}, Views: map[string]string{"customer": "secure_customer"},
		Setup: &secureview.Setup{Account: o.account, Key: &secureview.Key{Setting: o.prefix + "aesKey"},
			Tables: map[string]secureview.TableSetup{"customer": {
				Encrypted: map[string]string{"taxId": "text"},
				Filters:   []secureview.Filter{{Column: "id", Setting: o.prefix + "customerIds", List: true, Optional: true}},
			}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func testServeSessions(t *testing.T, provision *example, serve string, s *exampleServer, o sessionSetup) {
	for i, c := range [][2]string{{"Malmö Harbour Logistics", "SE-556677"}, {"Göteborg Ferries", "SE-112233"}, {"Santa Rita", "PT-501442"}} {
		mustExec(t, s.admin, fmt.Sprintf(o.insert, i+1, c[0], c[1]))
	}
	const key, token = sessionKey, "right"
	setting, policy := o.prefix+"customerIds", o.policyFile(t)
	dsn, as := s.url(s.root, "", s.database), s.url("qed_agent", examplePassword, s.database)
	if out, ok := provision.run(t, nil, "-policy", policy, "-dsn", dsn, "-apply", "-as", as); !ok {
		t.Fatal(out)
	}
	env := append(modelServer(t, "customer", "SELECT name, taxId FROM customer ORDER BY id", "Malm"),
		"DB_ENCRYPT_KEY="+key, "QED_SERVE_TOKEN="+token)
	p := &httpProgram{}
	p.launch(t, serve, env, "-dsn", as, "-policy", policy, "-listen", "127.0.0.1:0", "-session", setting+"=header:X-Customer-Ids")

	turns := 0
	ask := func(header ...string) (status int, events string) {
		t.Helper()
		// With an id, a turn continues when its reader leaves; without one it does not.
		id := []string{"", `"id":"c1",`}[turns%2]
		turns++
		body := `{"input":{"message":"Which customers are there?"},"conversation":{` + id + `"user_id":"ann","company_id":"acme"}}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.address+"/internal/chat/stream", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		for _, value := range header {
			request.Header.Add("X-Customer-Ids", value)
		}
		response, err := (&http.Client{Timeout: time.Minute}).Do(request)
		if err != nil {
			t.Fatalf("the server does not answer: %v\n%s", err, &p.log)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	// rows returns the names of the customers that a user sees, decrypted.
	rows := func(ids string) string {
		t.Helper()
		_, events := ask(ids)
		_, last, _ := strings.Cut(events, `data: {"event":"complete"`)
		last, _, _ = strings.Cut(last, "\n")
		var done struct {
			Data []struct {
				Name  string
				TaxID string `json:"taxid"`
			} `json:"final_structured_data"`
		}
		if err := json.Unmarshal([]byte(`{"event":"complete"`+last), &done); err != nil {
			t.Fatalf("%v: %s\n%s", err, events, &p.log)
		}
		var names []string
		for _, row := range done.Data {
			names = append(names, row.Name+" "+row.TaxID)
		}
		return strings.Join(names, "|")
	}
	const malmo, goteborg, rita = "Malmö Harbour Logistics SE-556677", "Göteborg Ferries", "Santa Rita"
	for range 2 {
		if got := rows("1,2"); !strings.Contains(got, malmo) || !strings.Contains(got, goteborg) || strings.Contains(got, rita) {
			t.Errorf("customers 1 and 2: %s", got)
		}
	}
	for range 2 {
		if got := rows("3"); !strings.Contains(got, rita) || strings.Contains(got, "Malm") {
			t.Errorf("customer 3, of the same user: %s", got)
		}
	}
	if got := rows("0"); got != "" {
		t.Errorf("no customer: %s", got)
	}
	for name, header := range map[string][]string{"no header": nil, "an empty one": {""}, "two": {"1", "2"}} {
		if status, text := ask(header...); status != http.StatusBadRequest || !strings.Contains(text, "X-Customer-Ids") || strings.Contains(text, "Rita") {
			t.Errorf("%s: status %d: %s", name, status, text)
		}
	}

	mustExec(t, s.admin, "REVOKE "+o.right+" FROM qed_agent")
	if _, text := ask("1,2"); strings.Contains(text, "SE-556677") || !strings.Contains(text, `"event":"error"`) {
		t.Errorf("the account has lost a grant: %s", text)
	}
	poll.Until(t, "the log names the lost grant", func() bool {
		return strings.Contains(p.log.String(), "the account lacks a right that the statement needs")
	})
	mustExec(t, s.admin, "GRANT "+o.right+" TO qed_agent")
	if got := rows("1"); !strings.Contains(got, malmo) {
		t.Errorf("the account has the grant again: %s", got)
	}
	if log := p.log.String(); strings.Contains(log, key) || strings.Contains(log, examplePassword) {
		t.Errorf("a secret is logged: %s", log)
	}
}
