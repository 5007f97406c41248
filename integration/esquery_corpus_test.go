package integration_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/esquery"
)

// searchCase is one body of the corpus in testdata/esquery.
type searchCase struct {
	ID       string          `json:"id"`
	Index    string          `json:"index"` // without searchPrefix
	Expect   esquery.Verdict `json:"expect"`
	Code     string          `json:"code"`     // of its first problem
	Rejected bool            `json:"rejected"` // it passes, and both engines reject it
	Silent   bool            `json:"silent"`   // Elasticsearch answers it with 200, and with nothing or something else
	Needs    []string        `json:"needs"`    // what not every engine has: see searchEngine.lacks
	Harmful  bool            `json:"harmful"`  // it would bring an engine down, and is never sent
	Body     json.RawMessage `json:"body"`
	Text     string          `json:"text"` // the body, where it is no JSON
}

// text is what the author of the body wrote.
func (c *searchCase) text() []byte {
	if c.Body == nil {
		return []byte(c.Text)
	}
	// Bodies that name an index name it as it is called on the engine.
	return bytes.ReplaceAll(c.Body, []byte(`"index:`), []byte(`"`+searchPrefix))
}

// searchPrefix keeps the indices of the corpus apart from those of other tests.
const searchPrefix = "esquery-"

const searchData = "testdata/esquery"

// searchIndex is an index of the corpus, as it is made.
type searchIndex struct {
	Settings map[string]any `json:"settings,omitempty"`
	Mappings map[string]any `json:"mappings"`
}

func searchIndices(tb testing.TB) map[string]*searchIndex {
	tb.Helper()
	indices := map[string]*searchIndex{}
	for name, text := range searchFiles(tb, ".mapping.json") {
		index := &searchIndex{}
		if err := json.Unmarshal(text, index); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		indices[name] = index
	}
	return indices
}

func searchCases(tb testing.TB) []searchCase {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(searchData, "bodies.*.jsonl"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no bodies: %v", err)
	}
	var cases []searchCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var c searchCase
			if err := json.Unmarshal(line, &c); err != nil {
				tb.Fatalf("%s: %s: %v", file, line, err)
			}
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		tb.Fatal("the files have no bodies")
	}
	return cases
}

// searchFiles returns the texts of the files of that ending, by what stands before it.
func searchFiles(tb testing.TB, ending string) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(searchData, "*"+ending))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no files %s: %v", ending, err)
	}
	texts := make(map[string][]byte, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		base := filepath.Base(file)
		texts[base[:len(base)-len(ending)]] = text
	}
	return texts
}

// TestSearchVerdicts: each body of the corpus gets the verdict that it should, on
// the mappings as they are written, without an engine.
func TestSearchVerdicts(t *testing.T) {
	indices := map[string]*esquery.Mapping{}
	for name, index := range searchIndices(t) {
		text, err := json.Marshal(map[string]any{"mappings": index.Mappings})
		if err != nil {
			t.Fatal(err)
		}
		if indices[searchPrefix+name], err = esquery.ParseMapping(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	v, err := esquery.NewValidator(indices, nil)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[esquery.Verdict]int{}
	for _, c := range searchCases(t) {
		verdicts[c.Expect]++
		report := v.Check(searchPrefix+c.Index, c.text())
		if report.Verdict != c.Expect {
			t.Errorf("%s %s: %s, want %s: %v", c.ID, c.text(), report.Verdict, c.Expect, report.Problems)
			continue
		}
		if c.Code != "" && string(report.Problems[0].Code) != c.Code {
			t.Errorf("%s %s: %s, want %s: %v", c.ID, c.text(), report.Problems[0].Code, c.Code, report.Problems)
		}
	}
	t.Logf("verdicts: %v", verdicts)
	if least := 200; len(verdicts) != 3 || verdicts[esquery.OK] < least || verdicts[esquery.Refused] < least {
		t.Errorf("the corpus is one-sided: %v", verdicts)
	}
}

// searchDocuments returns the documents of an index, by line: id, routing, source.
func searchDocuments(tb testing.TB, text []byte) []searchDocument {
	tb.Helper()
	var documents []searchDocument
	for line := range bytes.Lines(text) {
		d := searchDocument{source: plainJSON(tb, line).(map[string]any)}
		d.id, _ = d.source["_id"].(string)
		d.routing, _ = d.source["_routing"].(string)
		delete(d.source, "_id")
		delete(d.source, "_routing")
		documents = append(documents, d)
	}
	return documents
}

type searchDocument struct {
	id, routing string
	source      map[string]any
}
