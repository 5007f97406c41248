package replay_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

var update = flag.Bool("update", false, "write the table of BENCHMARKS.md")

const (
	benchmarks = "../../../BENCHMARKS.md"
	begin      = "<!-- tokens: written by go test ./internal/replay -update -->\n\n"
	end        = "\n<!-- end of tokens -->"
)

// TestTokensPerCall compares the table of tokens per call with the prompts of the recorded
// conversations.
func TestTokensPerCall(t *testing.T) {
	var table strings.Builder
	table.WriteString("| agent | request | calls | tokens, mean | tokens, most | the same for two questions, % |\n|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		agent string
		hold  func(*testing.T, *asked)
	}{
		{"`sqlagent`", askDatabase},
		{"`searchagent`", askFolders},
		{"`todoagent` with its tools", askShipping},
		{"`analyst`", askOrders},
	} {
		var a asked
		c.hold(t, &a)
		for _, line := range a.lines() {
			fmt.Fprintf(&table, "| %s | %s\n", c.agent, line)
		}
	}
	file, err := os.ReadFile(benchmarks)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(file, []byte(begin))
	recorded, after, also := bytes.Cut(rest, []byte(end))
	if !ok || !also {
		t.Fatalf("%s has no table of tokens", benchmarks)
	}
	if *update {
		text := slices.Concat(before, []byte(begin+table.String()+end), after)
		if err := os.WriteFile(benchmarks, text, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !near(string(recorded), table.String()) {
		t.Errorf("the prompts have other tokens than %s says; -update writes\n%s", benchmarks, table.String())
	}
}

// near reports whether two tables are the same but for a twentieth of each number: some
// prompts have ids that differ from run to run, and a word more is no news.
func near(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		n, err := strconv.Atoi(x[i])
		m, also := strconv.Atoi(y[i])
		if x[i] != y[i] && (err != nil || also != nil || max(n, m)-min(n, m) > 1+n/20) {
			return false
		}
	}
	return true
}

// asked is the requests of conversations, by the number of the turn.
type asked struct{ turns [][]*llm.Request }

// ask runs a turn and notes its requests.
func (a *asked) ask(ctx context.Context, t *testing.T, agent qed.Agent, m *llmtest.Model, turn qed.Turn) {
	t.Helper()
	before := len(m.Requests())
	if _, err := qed.Ask(ctx, agent, turn); err != nil {
		t.Fatalf("%s: %v", turn.Text, err)
	}
	a.turns = append(a.turns, m.Requests()[before:])
}

// lines returns a line for each kind of request.
func (a *asked) lines() (lines []string) {
	var names []string
	tokens := map[string][]int{}
	first := map[string][]string{} // the first request of each turn
	for _, turn := range a.turns {
		seen := map[string]bool{}
		for _, r := range turn {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
			tokens[r.Name] = append(tokens[r.Name], llm.EstimateTokens(r))
			if !seen[r.Name] {
				first[r.Name] = append(first[r.Name], whole(r))
			}
			seen[r.Name] = true
		}
	}
	for _, name := range names {
		all, sum := tokens[name], 0
		for _, n := range all {
			sum += n
		}
		lines = append(lines, fmt.Sprintf("%s | %d | %d | %d | %s |", name, len(all), sum/len(all), slices.Max(all), alike(first[name])))
	}
	return lines
}

// whole returns the text of a request.
func whole(r *llm.Request) string {
	var b strings.Builder
	for _, tool := range r.Tools {
		fmt.Fprintf(&b, "%s %s %s\n", tool.Name, tool.Description, tool.InputSchema)
	}
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text())
	}
	return b.String()
}

// alike returns how many percent of a request, on average, is the beginning of the one before it
// too, of another turn: that is what a server need not read again.
func alike(texts []string) string {
	same, all := 0, 0
	for i := 1; i < len(texts); i++ {
		if texts[i] == texts[i-1] {
			continue
		}
		n := 0
		for n < min(len(texts[i]), len(texts[i-1])) && texts[i][n] == texts[i-1][n] {
			n++
		}
		same, all = same+n, all+len(texts[i])
	}
	if all == 0 {
		return "-"
	}
	return strconv.Itoa(same * 100 / all)
}

func askDatabase(t *testing.T, a *asked) {
	src, err := database.OpenSource(t.Context(), &database.Options{Example: fieldservice.Database()}, &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	questions := fieldservice.Questions("sqlite")
	model := llmtest.New(replay.Rules(questions)...)
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		if q.Choice == "" {
			a.ask(t.Context(), t, agent, model, qed.Turn{Text: q.Question})
		}
	}
}

func askFolders(t *testing.T, a *asked) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, folders.Recording, folders.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	model := llmtest.New(folders.Replay(turns)...)
	agent, err := folders.NewAgent(model, client, &searchagent.Options{Store: &store.InMemory{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		a.ask(t.Context(), t, agent, model, qed.Turn{Thread: "t", Text: turn.Text})
	}
}

func askShipping(t *testing.T, a *asked) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, shipping.Recording, shipping.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := shipping.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx := qed.WithClock(t.Context(), func() time.Time { return shipping.Now })
	for _, s := range shipping.Scenarios() {
		model := llmtest.New(shipping.Replay(s)...)
		agent, err := shipping.NewAgent(model, client, server.URL, s.User, &todoagent.Options{Store: &store.InMemory{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range s.Turns {
			a.ask(ctx, t, agent, model, qed.Turn{Thread: "t", User: s.User.Name, Tenant: shipping.Company, Text: turn.Text})
		}
	}
}

func askOrders(t *testing.T, a *asked) {
	data, err := orders.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	model := llmtest.New(orders.Transcript()...)
	agent, err := analyst.New(model, analyst.Data{DB: data.DB, Policy: data.Policy, Dialect: sqlite.Dialect{}, Table: data.Table}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	for _, question := range orders.Recorded {
		a.ask(t.Context(), t, agent, model, qed.Turn{Thread: "t", Text: question})
	}
}
