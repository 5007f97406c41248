package schemasearch_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

func service() *joinpath.Schema {
	return &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"employee":       {Columns: []string{"id", "firstName", "lastName", "departmentId"}},
			"department":     {Columns: []string{"id", "name"}},
			"workTime":       {Columns: []string{"id", "employeeId", "workOrderId", "hours"}},
			"workOrder":      {Columns: []string{"id", "customerId", "status"}, Comment: "jobs at a customer's site"},
			"customer":       {Columns: []string{"id", "name", "vat_no"}},
			"Auftragsnummer": {Columns: []string{"id", "präfix"}},
			"订单":             {Columns: []string{"id", "客户"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "workTime", FromColumn: "employeeId", ToTable: "employee", ToColumn: "id", Confidence: 1},
			{FromTable: "workTime", FromColumn: "workOrderId", ToTable: "workOrder", ToColumn: "id", Confidence: 1},
			{FromTable: "employee", FromColumn: "departmentId", ToTable: "department", ToColumn: "id", Confidence: 1},
		},
	}
}

func Example() {
	ctx := context.Background()
	index, err := schemasearch.New(ctx, service(), &schemasearch.Options{
		Synonyms: map[string][]string{"employee": {"technician"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	hits, err := index.Search(ctx, "Which technician has the most hours?", 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.Table, h.Columns[:max(1, h.Named)])
	}
	// Output:
	// employee [id]
	// workTime [hours]
}

func TestSearch(t *testing.T) {
	options := &schemasearch.Options{
		Synonyms: map[string][]string{"employee": {"technician", "Monteur"}, "customer.vat_no": {"tax number"}},
		Values:   map[string][]string{"workOrder.status": {"in progress", "erledigt"}},
	}
	for question, want := range map[string][]string{
		"How many WORK ORDERS are there?":    {"workOrder"},
		"hours of each employee":             {"workTime", "employee"},
		"Wie viele Monteure gibt es?":        {"employee"},
		"Was ist erledigt?":                  {"workOrder"},
		"the tax number of Miller":           {"customer"},
		"jobs of the departm.":               {"workOrder", "department"}, // a comment, the beginning of a name
		"Welche Nummer kommt danach?":        {"Auftragsnummer"},          // the end of a word
		"Welches Präfix ist vergeben?":       {"Auftragsnummer"},
		"去年有多少订单?":                           {"订单"},
		"What did we earn last month?":       nil, // not lastName
		"What is the last name of number 7?": {"employee"},
		"":                                   nil,
		"\xff\x00 '); --":                    nil,
	} {
		index, err := schemasearch.New(t.Context(), service(), options)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := index.Search(t.Context(), question, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != index.Tables() {
			t.Errorf("%q: %d hits", question, len(hits))
		}
		var got []string
		for i, h := range hits {
			if i < len(want) && h.Matches || len(want) == 0 && h.Matches {
				got = append(got, h.Table)
			}
			columns := slices.Clone(service().Tables[h.Table].Columns)
			shown := slices.Clone(h.Columns)
			slices.Sort(columns)
			slices.Sort(shown)
			if diff := cmp.Diff(columns, shown); diff != "" {
				t.Errorf("%q: columns of %s (-want +got):\n%s", question, h.Table, diff)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

// A table that connects the tables of a question comes before the rest.
func TestSearchShowsNeighbours(t *testing.T) {
	index, err := schemasearch.New(t.Context(), service(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := index.Search(t.Context(), "employees by work order", 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(hits, func(h schemasearch.Hit) bool { return h.Table == "workTime" }) {
		t.Errorf("%+v", hits)
	}
}

// meanings is an Embedder with one dimension for each of a few meanings. It stands for
// a real one, which the tests of engines use.
type meanings [][]string

func (m meanings) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, text := range texts {
		v := make([]float32, len(m)+1)
		v[len(m)] = 0.1
		for i, words := range m {
			for _, w := range words {
				if strings.Contains(strings.ToLower(text), w) {
					v[i] = 1
				}
			}
		}
		out = append(out, v)
	}
	return out, nil
}

type broken struct{}

func (b broken) Embed(context.Context, []string) ([][]float32, error) { return nil, errDown }

var errDown = errors.New("down")

func TestSearchByMeaning(t *testing.T) {
	index, err := schemasearch.New(t.Context(), service(), &schemasearch.Options{
		Embedder: meanings{{"employee", "colleague"}, {"customer", "client"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{"our clients": "customer", "my colleagues": "employee"} {
		hits, err := index.Search(t.Context(), question, 1)
		if err != nil || len(hits) != 1 || hits[0].Table != want {
			t.Errorf("%q: %+v, %v", question, hits, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, opt := range map[string]*schemasearch.Options{
		"a synonym of no table":  {Synonyms: map[string][]string{"employees": {"x"}}},
		"a value of no column":   {Values: map[string][]string{"employee.state": {"x"}}},
		"an embedder that fails": {Embedder: broken{}},
	} {
		if index, err := schemasearch.New(t.Context(), service(), opt); index != nil || err == nil {
			t.Errorf("%s: %v, %v", name, index, err)
		}
	}
	misspelt := &schemasearch.Options{Synonyms: map[string][]string{"employees": {"x"}}}
	if _, err := schemasearch.New(t.Context(), service(), misspelt); err == nil || !strings.Contains(err.Error(), "did you mean employee") {
		t.Errorf("%v does not name the table that was meant", err)
	}
	if _, err := schemasearch.New(t.Context(), service(), &schemasearch.Options{Embedder: broken{}}); !errors.Is(err, errDown) {
		t.Errorf("the error of the embedder is lost: %v", err)
	}
	index, err := schemasearch.New(t.Context(), &joinpath.Schema{}, &schemasearch.Options{Embedder: broken{}})
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := index.Search(t.Context(), "anything", 3); len(hits) > 0 || err != nil {
		t.Errorf("an empty schema: %v, %v", hits, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := index.Search(ctx, "anything", 3); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The schema of a table does not weigh against its name, and tells tables of one name apart.
func TestSearchOfSchemas(t *testing.T) {
	columns := []string{"id", "note"}
	index, err := schemasearch.New(t.Context(), &joinpath.Schema{Tables: map[string]joinpath.Table{
		"order":              {Columns: columns},
		"customer_contact":   {Columns: columns},
		"marketing.customer": {Columns: columns, Schema: "marketing"},
		"support.ticket":     {Columns: columns, Schema: "support"},
		"marketing.ticket":   {Columns: columns, Schema: "marketing"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"Which customer is new?": "marketing.customer", "How many tickets has the support?": "support.ticket",
		"How many tickets has marketing?": "marketing.ticket",
	} {
		hits, err := index.Search(t.Context(), question, 1)
		if err != nil || hits[0].Table != want {
			t.Errorf("%s: %v, %v", question, hits, err)
		}
	}
}
