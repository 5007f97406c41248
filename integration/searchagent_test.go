package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

const entitiesDefinition = `{
	"settings":{"number_of_shards":2,"number_of_replicas":0},
	"mappings":{"properties":{
		"entityType":{"type":"keyword"},
		"tenantId":{"type":"keyword"},
		"common":{"properties":{
			"name":{"type":"text","fields":{"keyword":{"type":"keyword"}}},
			"created":{"type":"date"},
			"taxId":{"type":"keyword"}}},
		"system":{"properties":{"id":{"type":"keyword"},"parentId":{"type":"keyword"},"owner":{"type":"keyword"}}},
		"size":{"type":"long"}}}}`

// secretMarker is in every hidden field, and rivalMarker in every document of another
// tenant.
const (
	secretMarker = "SECRET-"
	rivalMarker  = "Rival"
)

func entity(id, kind, name, parent, owner, tenant string) string {
	return fmt.Sprintf(`{"entityType":%q,"tenantId":%q,"common":{"name":%q,"created":"2026-03-0%d","taxId":"%s%s"},"system":{"id":%q,"parentId":%q,"owner":%q},"size":%d}`,
		kind, tenant, name, len(id)%9+1, secretMarker, id, id, parent, owner, len(name))
}

// entities are two folders with the same name, documents in them and elsewhere, and
// documents of another tenant.
func entities() []string {
	all := []string{
		entity("abc-123", "FOLDER", "Tax Documents", "root", "ann", "acme"),
		entity("abc-124", "FOLDER", "Tax Documents", "root", "bob", "acme"),
		entity("abc-200", "FOLDER", "Invoices", "root", "ann", "acme"),
		entity("riv-1", "FOLDER", "Tax Documents", "root", rivalMarker, "rival"),
		entity("riv-2", "DOCUMENT", rivalMarker+" plan.pdf", "abc-123", rivalMarker, "rival"),
		entity("d-1", "DOCUMENT", "W2_2024.pdf", "abc-123", "ann", "acme"),
		entity("d-2", "DOCUMENT", "Receipt_Jan.pdf", "abc-123", "ann", "acme"),
		entity("d-3", "DOCUMENT", "Old.pdf", "abc-124", "bob", "acme"),
	}
	for i := range 250 {
		all = append(all, entity(fmt.Sprint("inv-", i), "DOCUMENT", fmt.Sprintf("Invoice_%03d.pdf", i), "abc-200", "ann", "acme"))
	}
	return all
}

// searchTrial is the agent on an index of one engine.
type searchTrial struct {
	url    string
	client *esclient.Client
	model  *llmtest.Model
	agent  qed.Agent
}

// theirs returns the filter of the turn's tenant.
func theirs(_ context.Context, turn qed.Turn) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"term": map[string]string{"tenantId": turn.Tenant}})
}

func newSearchTrial(t *testing.T, url string, opt *searchagent.Options, rules ...llmtest.Rule) *searchTrial {
	t.Helper()
	return newSearchTrialOf(t, url, esclient.Options{}, opt, rules...)
}

// newSearchTrialOf is newSearchTrial with the options of the client.
func newSearchTrialOf(t *testing.T, url string, cfg esclient.Options, opt *searchagent.Options, rules ...llmtest.Rule) *searchTrial {
	t.Helper()
	const index = "searchagent-entities"
	docs := entities()
	newIndex(t, url, index, entitiesDefinition)
	fillIndex(t, url, index, len(docs), func(i int) string { return docs[i] })
	trial := &searchTrial{url: url, client: esClient(t, url, cfg)}
	mapping, err := trial.client.Mapping(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{index: mapping}, &esquery.Options{Sensitive: []string{"common.taxId"}})
	if err != nil {
		t.Fatal(err)
	}
	var o searchagent.Options
	if opt != nil {
		o = *opt
	}
	o.Filter = theirs
	trial.model = llmtest.New(append([]llmtest.Rule{{Name: "classify", Repeat: true, Replies: []llmtest.Reply{
		{JSON: map[string]any{"intent": "search", "confidence": "high", "reasoning": "It asks for documents."}}}}}, rules...)...)
	if trial.agent, err = searchagent.New(trial.model, trial.client, v, &o); err != nil {
		t.Fatal(err)
	}
	return trial
}

// ask asks as the tenant acme. It asserts that neither the answer nor the requests to the
// model contain hidden fields or documents of another tenant.
func (trial *searchTrial) ask(t *testing.T, text string) ([]qed.EventData, qed.Answer) {
	t.Helper()
	events, answer, err := trial.run(t, qed.Turn{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return events, answer
}

// run is ask for a turn, which may fail.
func (trial *searchTrial) run(t *testing.T, turn qed.Turn) ([]qed.EventData, qed.Answer, error) {
	t.Helper()
	turn.Thread, turn.Tenant = "t", "acme"
	var events []qed.EventData
	var answer qed.Answer
	for e, err := range trial.agent.Run(t.Context(), turn) {
		if err != nil {
			return events, answer, err
		}
		events = append(events, e.Data)
		if done, ok := e.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	told, err := json.Marshal([]any{trial.model.Requests(), answer})
	if err != nil {
		t.Fatal(err)
	}
	for _, marker := range []string{secretMarker, rivalMarker} {
		if strings.Contains(string(told), marker) {
			t.Errorf("%s got out: %s", marker, told)
		}
	}
	return events, answer, nil
}

func searchPlan(steps ...map[string]any) llmtest.Rule {
	return llmtest.Rule{Name: "plan", Replies: []llmtest.Reply{{JSON: map[string]any{"steps": steps, "reason": "Documents hold the id of their folder."}}}}
}

func searchStep(key, task string, one bool, after ...string) map[string]any {
	return map[string]any{"key": key, "task": task, "index": "searchagent-entities", "one": one, "after": append([]string{}, after...)}
}

// folderThenDocuments is the reference's plan.
func folderThenDocuments() llmtest.Rule {
	return searchPlan(searchStep("folder", "find the folder", true), searchStep("documents", "find its documents", false, "folder"))
}

func searchBodies(task string, bodies ...string) llmtest.Rule {
	rule := llmtest.Rule{Name: "generate", Contains: []string{`The task to be done: "` + task + `"`}}
	for _, body := range bodies {
		rule.Replies = append(rule.Replies, llmtest.Reply{JSON: map[string]any{"body": body, "show": []string{"common.name"}}})
	}
	return rule
}

func searchWords(text string) llmtest.Rule {
	return llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: text}}}
}

func folderNamed(name string) string {
	return fmt.Sprintf(`{"query":{"bool":{"filter":[{"term":{"entityType":"FOLDER"}},{"term":{"common.name.keyword":%q}}]}}}`, name)
}

func documentsIn(id string) string {
	return fmt.Sprintf(`{"query":{"bool":{"filter":[{"term":{"entityType":"DOCUMENT"}},{"term":{"system.parentId":%q}}]}},"sort":[{"common.name.keyword":"asc"}]}`, id)
}

// firstCells returns the cells of a table with one column.
func firstCells(t *qed.Table) []any {
	var all []any
	if t != nil {
		for _, row := range t.Rows {
			all = append(all, row[0])
		}
	}
	return all
}

// Two folders of the tenant have the name: the user is asked, and the documents of the
// chosen folder are found.
func TestSearchAgentAsks(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, &searchagent.Options{Store: &store.InMemory{}}, folderThenDocuments(),
			searchBodies("find the folder", folderNamed("Tax Documents")), searchBodies("find its documents", documentsIn("abc-123")),
			searchWords("There are two."))
		_, asked := trial.ask(t, "List the documents in Tax Documents")
		if len(asked.Questions) != 1 || len(asked.Questions[0].Choices) != 2 {
			t.Fatalf("asked %+v", asked)
		}
		reply := "1"
		if strings.Contains(asked.Questions[0].Choices[1].Text, "abc-123") {
			reply = "2"
		}
		_, got := trial.ask(t, reply)
		if diff := cmp.Diff([]any{"Receipt_Jan.pdf", "W2_2024.pdf"}, firstCells(got.Table)); diff != "" || got.Partial || len(got.Queries) != 2 {
			t.Errorf("answer = %+v\n%s", got, diff)
		}
	})
}

// A term on a text, an unknown field, and a name in another case: searches that the engine
// answers with an empty result are refused, corrected or explained.
func TestSearchAgentCorrects(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, nil, folderThenDocuments(),
			searchBodies("find the folder",
				`{"query":{"term":{"common.name":"Invoices"}}}`, `{"query":{"term":{"folderName":"Invoices"}}}`, folderNamed("invoices"),
				`{"query":{"bool":{"filter":[{"term":{"entityType":"FOLDER"}},{"match":{"common.name":"invoices"}}]}}}`),
			searchBodies("find its documents", documentsIn("abc-200")), searchWords("There are many."))
		events, got := trial.ask(t, "List the documents in the folder invoices")
		if got.Partial || len(got.Queries) != 2 || len(got.Table.Rows) != 250 {
			t.Fatalf("answer = %+v", got)
		}
		if n := len(got.Queries[0].Corrections); n != 3 {
			t.Errorf("%d corrections: %+v", n, got.Queries[0].Corrections)
		}
		var pages []int
		for _, e := range events {
			if page, ok := e.(qed.Page); ok {
				pages = append(pages, len(page.Table.Rows))
			}
		}
		if !slices.Equal(pages, []int{100, 100, 50}) {
			t.Errorf("pages of %v rows", pages)
		}
		if first, last := got.Table.Rows[0][0], got.Table.Rows[249][0]; first != "Invoice_000.pdf" || last != "Invoice_249.pdf" {
			t.Errorf("rows from %v to %v", first, last)
		}
	})
}

// An alias whose indices read a field differently is asked per index, if the host allows
// each of them. Without these names the model learns that the field cannot be used.
func TestSearchAgentDividesAnAlias(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		for name, kind := range map[string]string{"tickets-1": "keyword", "tickets-2": "text"} {
			newIndex(t, url, name, fmt.Sprintf(`{"mappings":{"properties":{"state":{"type":%q},"title":{"type":"text"}}},"aliases":{"tickets":{}}}`, kind))
			fillIndex(t, url, name, 3, func(i int) string {
				return fmt.Sprintf(`{"state":"%s","title":"%s %d"}`, []string{"open", "closed"}[i%2], name, i)
			})
		}
		c := esClient(t, url, esclient.Options{})
		for _, tt := range []struct {
			names  []string
			bodies map[string][]string // by the end of the task
			ran    []string
		}{
			{[]string{"tickets", "tickets-1", "tickets-2"}, map[string][]string{
				`"`: {`{"query":{"term":{"state":"open"}}}`}, ` (tickets-1)"`: {`{"query":{"term":{"state":"open"}}}`}, ` (tickets-2)"`: {`{"query":{"match":{"state":"open"}}}`},
			}, []string{"tickets-1", "tickets-2"}},
			{[]string{"tickets", "tickets-1"}, map[string][]string{
				`"`: {`{"query":{"term":{"state":"open"}}}`, `{"query":{"match":{"title":"tickets"}}}`},
			}, []string{"tickets"}},
		} {
			rules := []llmtest.Rule{
				{Name: "classify", Replies: []llmtest.Reply{{JSON: map[string]any{"intent": "search", "confidence": "high", "reasoning": "r"}}}},
				searchPlan(map[string]any{"key": "open", "task": "find open tickets", "index": "tickets", "after": []string{}}), searchWords("Here they are."),
			}
			for end, bodies := range tt.bodies {
				rule := searchBodies("find open tickets"+strings.TrimSuffix(end, `"`), bodies...)
				rules = append(rules, rule)
			}
			a, err := searchagent.New(llmtest.New(rules...), c, truthValidator(t, c, tt.names...), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := qed.Ask(t.Context(), a, qed.Turn{Text: "Which tickets are open?"})
			if err != nil {
				t.Fatal(err)
			}
			var ran []string
			rows := 0
			for _, q := range answer.Queries {
				ran, rows = append(ran, q.Index), rows+q.Rows
			}
			if !slices.Equal(ran, tt.ran) || answer.Partial || len(tt.ran) == 2 && rows != 4 {
				t.Errorf("%v ran with %d rows, want %v: %+v", ran, rows, tt.ran, answer)
			}
		}
	})
}

func TestSearchAgentFindsNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, nil, folderThenDocuments(),
			searchBodies("find the folder", folderNamed("Payroll"), folderNamed("Payroll")), searchWords("There is no such folder."))
		_, got := trial.ask(t, "List the documents in Payroll")
		if !got.Partial || got.Table != nil || len(got.Queries) != 1 || got.Text != "There is no such folder." {
			t.Errorf("answer = %+v", got)
		}
		requests := trial.model.Requests()
		words := requests[len(requests)-1].Messages[0].Content
		for _, want := range []string{`\"Payroll\"}} matches no document`, `\"FOLDER\"}} alone matches 3`} {
			if !strings.Contains(words, want) {
				t.Errorf("the request for words lacks %q: %s", want, words)
			}
		}
		for _, want := range []string{"Nothing was found: find the folder", "documents"} {
			if !strings.Contains(got.PartialReason, want) {
				t.Errorf("the reason lacks %q: %s", want, got.PartialReason)
			}
		}
	})
}

func TestSearchAgentCounts(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, nil, searchPlan(searchStep("count", "count by type and owner", false)),
			searchBodies("count by type and owner", `{"size":0,"aggs":{"type":{"terms":{"field":"entityType"},"aggs":{"owner":{"terms":{"field":"system.owner"}}}}}}`),
			searchWords("252 and 1."))
		_, got := trial.ask(t, "How many are there of each type and owner?")
		want := [][]any{{"DOCUMENT", int64(252), "ann"}, {"DOCUMENT", int64(1), "bob"}, {"FOLDER", int64(2), "ann"}, {"FOLDER", int64(1), "bob"}}
		if diff := cmp.Diff(want, got.Table.Rows); diff != "" || got.Partial {
			t.Errorf("answer = %+v\n%s", got, diff)
		}
	})
}

// vanishing deletes the index after a search.
type vanishing struct {
	*esclient.Client
	remove func()
}

func (v vanishing) Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error) {
	defer v.remove()
	return v.Client.Search(ctx, s)
}

// If the index is deleted between two steps, the plan ends and keeps the first result.
func TestSearchAgentLosesItsIndex(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		const index = "searchagent-vanishing"
		newIndex(t, url, index, entitiesDefinition)
		fillIndex(t, url, index, 1, func(int) string { return entity("abc-123", "FOLDER", "Tax Documents", "root", "ann", "acme") })
		client := esClient(t, url, esclient.Options{})
		mapping, err := client.Mapping(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		v, err := esquery.NewValidator(map[string]*esquery.Mapping{index: mapping}, nil)
		if err != nil {
			t.Fatal(err)
		}
		gone := false
		engine := vanishing{client, func() {
			if !gone {
				gone = true
				askEngine(t, http.MethodDelete, url+"/"+index, "")
			}
		}}
		plan := folderThenDocuments()
		for _, step := range plan.Replies[0].JSON.(map[string]any)["steps"].([]map[string]any) {
			step["index"] = index
		}
		model := llmtest.New(plan, searchBodies("find the folder", folderNamed("Tax Documents")),
			searchBodies("find its documents", documentsIn("abc-123")), searchWords("The folder is there."))
		agent, err := searchagent.New(model, engine, v, &searchagent.Options{SkipClassification: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := qed.Ask(t.Context(), agent, qed.Turn{Text: "List the documents in Tax Documents"})
		if err != nil || !got.Partial || len(got.Queries) != 1 || !strings.Contains(got.PartialReason, "find its documents") || len(got.Citations) != 1 {
			t.Errorf("answer = %+v, %v", got, err)
		}
	})
}

// Without a cluster a turn fails. It is resumed when the cluster runs.
func TestSearchAgentWithoutACluster(t *testing.T) {
	mapping, err := esquery.ParseMapping([]byte(entitiesDefinition[strings.Index(entitiesDefinition, `{"properties"`) : len(entitiesDefinition)-1]))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"searchagent-entities": mapping}, nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &store.InMemory{}
	model := llmtest.New(searchPlan(searchStep("folder", "find the folder", false)), searchBodies("find the folder", folderNamed("Tax Documents")))
	agent, err := searchagent.New(model, esClient(t, "http://127.0.0.1:1", esclient.Options{}), v, &searchagent.Options{SkipClassification: true, Store: st})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Tenant: "acme", Text: "Find it"}); !errors.Is(err, esquery.ErrUnavailable) {
		t.Fatalf("error = %v", err)
	}
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, &searchagent.Options{SkipClassification: true, Store: fork(t, st)}, searchWords("Two."))
		if _, got := trial.ask(t, ""); got.Text != "Two." || len(got.Table.Rows) != 2 {
			t.Errorf("answer = %+v", got)
		}
	})
}

// fork copies a store of one thread of the tenant acme.
func fork(t *testing.T, from store.Store) store.Store {
	t.Helper()
	to := &store.InMemory{}
	var recs []store.Record
	for rec, err := range store.ForUser(from, "acme", "").Records(t.Context(), "t", store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	if err := store.ForUser(to, "acme", "").Append(t.Context(), "t", 0, recs...); err != nil {
		t.Fatal(err)
	}
	return to
}
