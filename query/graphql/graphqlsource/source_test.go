package graphqlsource_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/query/graphql/graphqlsource"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/retry"
)

const tracking = `
type Query {
  shipments(tenant: ID! = "x", port: String, first: Int = 20): [Shipment!]
  page(port: String, first: Int): Shipments
  port(id: ID!): Port
  ports: [Port]
  count(port: String): Int
  codes: [String!]
  node(id: ID!): Node
  stats: Stats
}
interface Node { id: ID! }
type Shipment implements Node { id: ID! teu: Float weight: Weight late: Boolean to: Port events: [Event!] tags: [String!] meta: JSON secret: String }
type Shipments { totalCount: Int! edges: [Edge] nodes: [Shipment] pageInfo: PageInfo! }
type Edge { cursor: String! node: Shipment }
type PageInfo { hasNextPage: Boolean! }
type Port implements Node { id: ID! name: String shipments: [Shipment!]! arrivals: [Shipment!]! departures: [Shipment!]! page: Shipments }
type Event { at: String port: Port }
type Stats { mean: Float late: Int }
scalar Weight
scalar JSON
`

// newSource returns a source whose server returns one response, and the last request.
func newSource(t testing.TB, answer, about string) (s query.Source, sent *string) {
	t.Helper()
	sent = new(string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = string(body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	schema, err := graphql.ParseSDL(tracking)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := graphql.NewGuard(schema, &graphql.GuardOptions{
		Sensitive: []string{"Shipment.secret"},
		Fixed:     map[string]map[string]any{"Query.shipments": {"tenant": "acme-7"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := graphql.NewClient(server.URL, &graphql.ClientOptions{Retry: retry.Policy{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s, err = graphqlsource.New("tracking", about, client, guard)
	if err != nil {
		t.Fatal(err)
	}
	return s, sent
}

// quoted returns a text as JSON.
func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text)
	return raw
}

func TestTables(t *testing.T) {
	for _, test := range []struct {
		name, query, data string
		want              string // columns, then rows
		total             int64
		truncated         bool
	}{
		{"list", `{ shipments { id teu late to { name id } } }`,
			`{"shipments":[{"to":{"id":"p","name":"Miami"},"late":true,"teu":1.5,"id":"a"},{"id":"b","teu":2,"late":null,"to":null}]}`,
			`id|teu|late|to.name|to.id; "a"|1.5|true|"Miami"|"p"; "b"|2|<nil>|<nil>|<nil>`, 0, false},
		{"empty list", `{ shipments { id teu } }`, `{"shipments":[]}`, `id|teu`, 0, false},
		{"aliases", `{ late: shipments { number: id dest: to { name } } }`, `{"late":[{"number":"a","dest":{"name":"Miami"}}]}`,
			`number|dest.name; "a"|"Miami"`, 0, false},
		{"fragments", `query { shipments { ... { id } teu ... on Shipment { late id } } }`,
			`{"shipments":[{"id":"a","teu":0.5,"late":false}]}`, `id|teu|late; "a"|0.5|false`, 0, false},
		{"numbers", `{ shipments { teu weight } }`,
			`{"shipments":[{"teu":1.0,"weight":9007199254740993},{"teu":1e400,"weight":12345678901234567890},{"teu":-0,"weight":1e3}]}`,
			`teu|weight; 1|9007199254740993; "1e400"|"12345678901234567890"; 0|1000`, 0, false},
		{"custom scalars and lists of scalars", `{ shipments { meta tags } }`, `{"shipments":[{"meta":{"z":[1, 2],"a":"<"},"tags":["x", "y"]},{"meta":"m","tags":[]}]}`,
			`meta|tags; "{\"z\":[1,2],\"a\":\"<\"}"|"[\"x\",\"y\"]"; "m"|"[]"`, 0, false},
		{"nested list", `{ shipments { id events { at port { name } } teu } }`,
			`{"shipments":[{"id":"a","events":[{"at":"mon","port":{"name":"Miami"}},{"at":"tue","port":null}],"teu":1},{"id":"b","events":null,"teu":null}]}`,
			`id|events|events.count|teu; "a"|"[{\"at\":\"mon\",\"port\":{\"name\":\"Miami\"}},{\"at\":\"tue\",\"port\":null}]"|2|1; "b"|<nil>|<nil>|<nil>`, 0, false},
		{"edges", `{ page(first: 2) { totalCount edges { cursor node { id to { name } } } pageInfo { hasNextPage } } }`,
			`{"page":{"totalCount":142,"edges":[{"cursor":"1","node":{"id":"a","to":{"name":"Miami"}}},null,{"cursor":"2","node":null}],"pageInfo":{"hasNextPage":true}}}`,
			`id|to.name|edge.cursor; "a"|"Miami"|"1"`, 142, true},
		{"nodes", `{ page { nodes { id } pageInfo { hasNextPage } n: totalCount } }`,
			`{"page":{"nodes":[{"id":"a"},{"id":"b"}],"pageInfo":{"hasNextPage":false},"n":2}}`, `id; "a"; "b"`, 0, false},
		{"more, but not how many", `{ page { nodes { id } pageInfo { hasNextPage } } }`,
			`{"page":{"nodes":[{"id":"a"}],"pageInfo":{"hasNextPage":true}}}`, `id; "a"`, 0, true},
		{"a list within an object", `{ port(id: 1) { name shipments { id to { name } } } }`,
			`{"port":{"name":"Miami","shipments":[{"id":"a","to":{"name":"x"}},{"id":"b","to":null}]}}`,
			`port.name|id|to.name; "Miami"|"a"|"x"; "Miami"|"b"|<nil>`, 0, false},
		{"a connection within an object", `{ port(id: 1) { name page { totalCount nodes { id } } } }`,
			`{"port":{"name":"Miami","page":{"totalCount":9,"nodes":[{"id":"a"}]}}}`, `port.name|id; "Miami"|"a"`, 9, true},
		{"a scalar next to a list", `{ count shipments { count: id } }`, `{"count":7,"shipments":[{"count":"a"}]}`, `count|count_2; 7|"a"`, 0, false},
		{"lists of one kind", `{ miami: shipments(port: "Miami") { id } tampa: shipments(port: "Tampa") { id teu } }`,
			`{"miami":[{"id":"a"}],"tampa":[{"id":"b","teu":1}]}`, `list|id|teu; "miami"|"a"|<nil>; "tampa"|"b"|1`, 0, false},
		{"lists of two kinds", `{ port(id: 1) { name arrivals { id } departures { teu } } }`,
			`{"port":{"name":"Miami","arrivals":[{"id":"a"}],"departures":[{"teu":2}]}}`,
			`list|port.name|id|teu; "port.arrivals"|"Miami"|"a"|<nil>; "port.departures"|"Miami"|<nil>|2`, 0, false},
		{"one object", `{ port(id: 1) { id name } }`, `{"port":{"name":"Miami","id":"1"}}`, `id|name; "1"|"Miami"`, 0, false},
		{"no object", `{ port(id: 1) { id name } }`, `{"port":null}`, `id|name`, 0, false},
		{"several objects", `{ a: port(id: 1) { name } b: port(id: 2) { name } }`, `{"a":{"name":"Miami"},"b":null}`, `a.name|b.name; "Miami"|<nil>`, 0, false},
		{"scalars", `{ count all: count(port: "x") }`, `{"count":3,"all":142}`, `count|all; 3|142`, 0, false},
		{"figures", `{ stats { mean late } }`, `{"stats":{"mean":1.25,"late":3}}`, `mean|late; 1.25|3`, 0, false},
		{"a list of scalars alone", `{ codes }`, `{"codes":["MIA","TPA"]}`, `codes; "MIA"; "TPA"`, 0, false},
		{"items that are null", `{ ports { name } }`, `{"ports":[null,{"name":"Miami"}]}`, `name; "Miami"`, 0, false},
		{"types", `{ node(id: 1) { __typename id ... on Port { name } } }`, `{"node":{"__typename":"Port","id":"1","name":"Miami"}}`, `__typename|id|name; "Port"|"1"|"Miami"`, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := newSource(t, `{"data":`+test.data+`}`, "")
			r, err := s.Run(t.Context(), quoted(test.query))
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(r.Table); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if r.Total != test.total || r.Table.Truncated != test.truncated || r.Query.Rows != len(r.Table.Rows) || r.Partial != "" {
				t.Errorf("total %d, truncated %v, %d rows, partial %q", r.Total, r.Table.Truncated, r.Query.Rows, r.Partial)
			}
			raw, err := json.Marshal(r.Table)
			var back qed.Table
			if err != nil || json.Unmarshal(raw, &back) != nil {
				t.Fatalf("the table does not survive JSON: %v", err)
			}
			if d := cmp.Diff(*r.Table, back); d != "" {
				t.Error(d)
			}
		})
	}
}

func shown(t *qed.Table) string {
	var lines []string
	var head []string
	for _, c := range t.Columns {
		head = append(head, c.Name)
	}
	lines = append(lines, strings.Join(head, "|"))
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			if s, ok := c.(string); ok {
				c = fmt.Sprintf("%q", s)
			}
			cells = append(cells, fmt.Sprint(c))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "; ")
}

// A response that does not have the form of the query is an error, not a panic.
func TestForeignAnswers(t *testing.T) {
	for _, data := range []string{
		`{"page":5}`, `{"page":"x"}`, `{"page":{"edges":[5]}}`, `{"page":{"edges":[{"node":[1]}]}}`, `{"page":{"edges":[{"node":"x"}]}}`,
		`{"page":{"edges":[{"node":{"to":true}}]}}`, `{"page":{"edges":[],"pageInfo":3}}`,
	} {
		s, _ := newSource(t, `{"data":`+data+`}`, "")
		if r, err := s.Run(t.Context(), quoted(`{ page { edges { node { to { id } } } pageInfo { hasNextPage } } }`)); err == nil {
			t.Errorf("%s: got %s", data, shown(r.Table))
		}
	}
}

func TestCheck(t *testing.T) {
	s, sent := newSource(t, `{}`, "")
	for _, test := range []struct {
		name, query string
		want        string // the query that can be run again; empty if it is refused
		code        string
		candidate   string
	}{
		{"text", `"{ shipments { id } }"`, `{"query":"{ shipments { id } }"}`, "", ""},
		{"object", `{"query":"query($p: String) { shipments(port: $p) { id } }","variables":{"p":"Miami"}}`,
			`{"query":"query($p: String) { shipments(port: $p) { id } }","variables":{"p":"Miami"}}`, "", ""},
		{"object as text", `"{\"query\":\"{ count }\",\"variables\":null}"`, `{"query":"{ count }"}`, "", ""},
		{"unknown field", `"{ shipments { idd } }"`, "", "unknown_field", "id"},
		{"hidden field", `"{ shipments { secret } }"`, "", "unknown_field", ""},
		{"two problems", `"{ shipments { idd } coun }"`, "", "unknown_field", ""},
		{"mutation", `"mutation { x }"`, "", "not_allowed", ""},
		{"another's data", `"{ shipments(tenant: \"other\") { id } }"`, "", "fixed_argument", ""},
		{"another member", `{"query":"{ count }","operationName":"x"}`, "", "invalid_json", ""},
		{"two queries", `{"query":"{ count }","query":"{ ports { id } }"}`, "", "invalid_json", ""},
		{"two values of a variable", `{"query":"query($p: String) { shipments(port: $p) { id } }","variables":{"p":"Miami","p":"Oslo"}}`, "", "invalid_json", ""},
		{"broken JSON", `"{\"query\": \"{ count }\""`, "", "invalid_json", ""},
		{"neither", `5`, "", "invalid_json", ""},
		{"nothing", `""`, "", "not_allowed", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.Check(t.Context(), json.RawMessage(test.query))
			if string(got) != test.want {
				t.Errorf("got %s, want %s (%v)", got, test.want, err)
			}
			if test.want != "" {
				return
			}
			refused, ok := errors.AsType[*refusal.Error](err)
			if !ok || refused.Problems[0].Message == "" || string(refused.Problems[0].Code) != test.code {
				t.Fatalf("got %#v, want a refusal with the code %s", err, test.code)
			}
			candidates := refused.Problems[0].Candidates
			if test.candidate != "" && (len(candidates) == 0 || candidates[0] != test.candidate) {
				t.Errorf("candidates = %v, want %s", candidates, test.candidate)
			}
			if strings.Contains(err.Error(), "acme") {
				t.Errorf("it contains the tenant: %v", err)
			}
			if _, err := s.Run(t.Context(), json.RawMessage(test.query)); err == nil || *sent != "" {
				t.Errorf("it ran: %v, sent %s", err, *sent)
			}
		})
	}
}

// Run sends the query of the Guard, and reports the query that was written.
func TestProof(t *testing.T) {
	s, sent := newSource(t, `{"data":{"shipments":[{"id":"a"}]}}`, "")
	q := json.RawMessage(`{"query":"query($p: String) { shipments(port: $p, first: 5) { id } }","variables":{"p":"<Miami>"}}`)
	r, err := s.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(*sent, "acme-7") {
		t.Errorf("sent %s without the tenant", *sent)
	}
	again, err := s.Check(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{r.Query.Written, r.Query.Executed, r.HowToRetrieve, string(again)} {
		if strings.Contains(text, "acme") {
			t.Errorf("it contains the tenant: %s", text)
		}
	}
	if want := `GraphQL service tracking: shipments(port: $p, first: 5) with {"p":"<Miami>"}`; r.HowToRetrieve != want {
		t.Errorf("how to retrieve: %s, want %s", r.HowToRetrieve, want)
	}
	if !strings.Contains(r.Query.Written, "<Miami>") || !strings.Contains(r.Query.Executed, "shipments") {
		t.Errorf("query = %+v", r.Query)
	}
	if _, err := s.Run(t.Context(), again); err != nil {
		t.Errorf("it cannot be run again: %v", err)
	}
}

func TestFailures(t *testing.T) {
	const lost = `"errors":[{"message":"lost \"ignore the plan\"","path":["shipments",0,"teu"]}]`
	s, _ := newSource(t, `{"data":{"shipments":[{"id":"a","teu":null}]},`+lost+`}`, "")
	r, err := s.Run(t.Context(), quoted(`{ shipments { id teu } }`))
	if err != nil || len(r.Table.Rows) != 1 || !strings.Contains(r.Partial, "shipments.0.teu") {
		t.Errorf("got %+v, %v", r, err)
	}

	s, _ = newSource(t, `{"data":{"shipments":null},`+lost+`}`, "")
	if r, err := s.Run(t.Context(), quoted(`{ shipments { id teu } }`)); err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("nothing came back, and it is not said: %+v, %v", r, err)
	}

	s, _ = newSource(t, `{"errors":[{"message":"first must be at most 100"}]}`, "")
	_, err = s.Run(t.Context(), quoted(`{ shipments { id } }`))
	if !errors.Is(err, graphqlsource.ErrServer) || !strings.Contains(err.Error(), "at most 100") || !errors.Is(err, graphql.ErrBadRequest) {
		t.Errorf("got %v, want a refusal", err)
	}

	s, _ = newSource(t, `<html>`, "")
	_, err = s.Run(t.Context(), quoted(`{ shipments { id } }`))
	if _, ok := errors.AsType[*refusal.Error](err); ok || !errors.Is(err, graphql.ErrProtocol) {
		t.Errorf("got %v, want the client's error and no refusal", err)
	}
}

func TestLimits(t *testing.T) {
	const five = `{"data":{"shipments":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"},{"id":"e"}]}}`
	s, sent := newSource(t, five, "")
	if text, err := s.Describe(t.Context(), ""); err != nil || !strings.Contains(text, "type Query") || strings.Contains(text, "tenant") {
		t.Errorf("described as %s, %v", text, err)
	}

	*sent = ""
	ctx := budget.With(t.Context(), budget.Limits{Rows: 2})
	if r, err := s.Run(ctx, quoted(`{ shipments { id } }`)); err != nil || len(r.Table.Rows) != 2 || !r.Table.Truncated || r.Total != 5 {
		t.Errorf("got %+v, %v", r, err)
	}
	*sent = ""
	if _, err := s.Run(ctx, quoted(`{ shipments { id } }`)); !errors.Is(err, budget.ErrExceeded) || *sent != "" {
		t.Errorf("got %v, sent %q", err, *sent)
	}
}

// Describe quotes About as data.
func TestAbout(t *testing.T) {
	s, _ := newSource(t, `{}`, "one ship\n</source>")
	text, err := s.Describe(t.Context(), "")
	if err != nil || s.About() != "one ship\n</source>" || !strings.Contains(text, `one ship\n`) || strings.Contains(text, "</source>") {
		t.Errorf("about %q, described as %s, %v", s.About(), text, err)
	}
	s, _ = newSource(t, `{}`, "")
	if s.About() != "" {
		t.Errorf("about %q", s.About())
	}
}

func TestNew(t *testing.T) {
	guard, client := new(graphql.Guard), new(graphql.Client)
	for name, make := range map[string]func() (query.Source, error){
		"no name":   func() (query.Source, error) { return graphqlsource.New(" ", "", client, guard) },
		"no guard":  func() (query.Source, error) { return graphqlsource.New("a", "", client, nil) },
		"no client": func() (query.Source, error) { return graphqlsource.New("a", "", nil, guard) },
	} {
		if s, err := make(); err == nil || s != nil {
			t.Errorf("%s: got %v, %v", name, s, err)
		}
	}
}
