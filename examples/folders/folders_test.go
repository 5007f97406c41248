package folders_test

import (
	"bytes"
	gocmp "cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// TestTranscript runs the whole conversation on the recording. Every turn ends with
// the recorded answer or with a question.
func TestTranscript(t *testing.T) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, folders.Recording, folders.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	agent, err := folders.NewAgent(llmtest.New(folders.Replay(turns)...), client, &searchagent.Options{Store: &store.InMemory{}})
	if err != nil {
		t.Fatal(err)
	}
	for i, turn := range turns {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: turn.Text})
		if err != nil {
			t.Fatalf("%s: %v", turn.Text, err)
		}
		if asks := i+1 < len(turns) && turns[i+1].IsReply(); asks != (len(answer.Questions) > 0) {
			t.Errorf("%s: questions = %+v", turn.Text, answer.Questions)
		} else if !asks && !turn.IsReply() && !strings.Contains(answer.Text, turn.Answer) {
			t.Errorf("%s: answered %q", turn.Text, answer.Text)
		}
	}
}

// TestAnswersAreTrue compares the cells of each answer, and the names in its text, with
// the documents.
func TestAnswersAreTrue(t *testing.T) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, folders.Recording, folders.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	agent, err := folders.NewAgent(llmtest.New(folders.Replay(turns)...), client, &searchagent.Options{Store: &store.InMemory{}})
	if err != nil {
		t.Fatal(err)
	}
	documents := read(t)
	in := func(folder string) func(document) bool {
		return func(d document) bool { return d.System.ParentID == folder }
	}
	want := map[string]any{ // by the text of the turn
		"List the documents in the Tax Documents folder.": list(documents, in("abc-123")),
		"Which of them did Lena Voss save a version of?": list(documents, func(d document) bool {
			return in("abc-123")(d) && slices.ContainsFunc(d.Versions, func(v version) bool { return v.Author == "lena.voss" })
		}),
		"2": list(documents, in("f-201")),
		"How many documents are there of each file type, and how large are they together?": types(documents),
		"How many files are in Payroll, and how many in Product Photos?": [][]any{
			{"f-300", int64(len(list(documents, in("f-300"))))}, {"f-400", int64(len(list(documents, in("f-400"))))},
		},
		"Is there a PDF of more than 10 MB in Tax Documents?": list(documents, func(d document) bool {
			return d.File.Bytes > 10_000_000
		}),
	}
	compared, named := 0, 0
	for _, turn := range turns {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: turn.Text})
		if err != nil {
			t.Fatalf("%s: %v", turn.Text, err)
		}
		var got [][]any
		if answer.Table != nil {
			got = answer.Table.Rows
		}
		rows, ok := want[turn.Text]
		if !ok {
			if len(got) > 0 {
				t.Errorf("%s: the answer has rows that are compared with nothing", turn.Text)
			}
			continue
		}
		compared++
		if diff := cmp.Diff(rows, any(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-data +answer):\n%s", turn.Text, diff)
		}
		if len(got) == 0 || !strings.Contains(got[0][0].(string), ".") { // no names
			continue
		}
		for _, d := range documents {
			name := d.Common.Name
			if d.Kind != "DOCUMENT" {
				continue
			}
			listed := slices.ContainsFunc(got, func(row []any) bool { return row[0] == name })
			if strings.Contains(answer.Text, name) != listed {
				t.Errorf("%s: the answer names %s: %t, want %t", turn.Text, name, !listed, listed)
			}
			named++
		}
	}
	if compared != len(want) || named == 0 {
		t.Errorf("%d answers and %d names were compared, want %d answers", compared, named, len(want))
	}
}

// document is a folder or a document of the data.
type document struct {
	Tenant string `json:"tenantId"`
	Kind   string `json:"entityType"`
	PCI    bool   `json:"isPci"`
	Common struct {
		Name string `json:"name"`
	} `json:"commonAttributes"`
	System struct {
		ParentID   string `json:"parentId"`
		ModifiedAt string `json:"modifiedAt"`
		CreatedBy  string `json:"createdBy"`
	} `json:"systemAttributes"`
	File struct {
		Type  string `json:"type"`
		Bytes int64  `json:"bytes"`
	} `json:"file"`
	Versions []version `json:"versions"`
}

type version struct {
	Author string `json:"author"`
}

// read returns what the company's users may see of the data, by name.
func read(t *testing.T) []document {
	t.Helper()
	raw, err := os.ReadFile("data/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []document
	for text := range bytes.Lines(raw) {
		var l struct{ Document document }
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Document.Tenant == "harbour" && !l.Document.PCI {
			all = append(all, l.Document)
		}
	}
	slices.SortFunc(all, func(a, b document) int { return strings.Compare(a.Common.Name, b.Common.Name) })
	return all
}

// list returns the rows for the documents that are wanted.
func list(all []document, wanted func(document) bool) (rows [][]any) {
	for _, d := range all {
		if d.Kind == "DOCUMENT" && wanted(d) {
			rows = append(rows, []any{d.Common.Name, d.File.Type, d.File.Bytes, d.System.ModifiedAt, d.System.CreatedBy})
		}
	}
	return rows
}

// types returns the number of documents of each file type and their bytes, the most
// frequent type first.
func types(all []document) (rows [][]any) {
	count, size := map[string]int64{}, map[string]float64{}
	for _, d := range all {
		if d.Kind == "DOCUMENT" {
			count[d.File.Type]++
			size[d.File.Type] += float64(d.File.Bytes)
		}
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return gocmp.Or(gocmp.Compare(count[b], count[a]), gocmp.Compare(a, b))
	})
	for _, name := range names {
		rows = append(rows, []any{name, count[name], size[name]})
	}
	return rows
}

// TestRecorded checks that a question is found with the replies that it needs.
func TestRecorded(t *testing.T) {
	for text, want := range map[string]int{
		"What is in the Contracts folder?":        2,
		" what is in the contracts folder? ":      2,
		"Move W2_2024.pdf to the Archive folder.": 1,
		"2":             0,
		"What is love?": 0,
	} {
		got, err := folders.Recorded(text)
		if len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q needs %d turns, want %d (%v)", text, len(got), want, err)
		}
	}
}
