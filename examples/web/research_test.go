package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
)

// articles waits for the end of a turn, which is the nth.
func (b *browser) articles(n int) {
	b.tb.Helper()
	b.until(fmt.Sprintf(`document.querySelectorAll("article").length === %d`, n))
	b.idle()
}

// fill replaces the text of the nth control that a selector finds.
func (b *browser) fill(selector string, n int, text string) {
	b.tb.Helper()
	value[chromedp.Void](b, fmt.Sprintf(`{
		const control = document.querySelectorAll(%s)[%d];
		control.focus();
		control.value = %s;
		control.dispatchEvent(new Event("input", {bubbles: true}));
	}`, quoted(selector), n, quoted(text)))
}

// watch keeps the states of tasks, and the findings, that the page shows at any time.
const watch = `window.seen = new Set();
new MutationObserver(all => {
	for (const {addedNodes} of all) for (const node of addedNodes) {
		if (node.nodeType !== 1) continue;
		for (const li of [node, ...node.querySelectorAll("li")]) {
			if (li.matches(".plan li")) seen.add(li.className + ": " + li.children[1].textContent);
			if (li.matches(".findings li")) seen.add("finding: " + li.textContent);
		}
	}
}).observe(document.querySelector("#turns"), {childList: true, subtree: true})`

// TestResearch clicks through a research: questions, tasks that the user changes, what is
// found, the report with its sources, and another research.
func TestResearch(t *testing.T) {
	for screen, width := range map[string]int64{"desktop": 1280, "phone": 390} {
		t.Run(screen, func(t *testing.T) {
			_, b := open(t)
			show := func(name string) {
				t.Helper()
				if screen == "desktop" { // it shows the state on both screens
					b.show(name)
				}
			}
			b.do(chromedp.EmulateViewport(width, 900))
			b.press("What must be checked before a ship takes fuel")
			b.articles(1)
			b.has("Do you need the checks alone, or also the permit?", "Is it a ship at a berth or at anchor?", "Reply /end")
			show("research-questions")
			b.fill(".questions textarea", 0, "Also the permit, at a berth.")
			b.press("Reply")
			b.articles(2)
			b.has("1. The checks before a ship takes fuel", "2. How often hoses are tested", "3. How long the permit is valid")
			show("research-tasks")
			b.press("Change the tasks")
			show("research-changing")

			// One task is removed, one is changed, one is moved, and one is added.
			value[chromedp.Void](b, `document.querySelectorAll(".tasks .tools button:last-child")[1].click()`)
			b.fill(".tasks textarea", 1, "Which noise limit applies at night?")
			b.fill(".tasks input", 1, "decibel limit fence night")
			b.press("Add a task")
			b.press("Approve the change") // the new task is empty
			if n := value[int](b, `document.querySelectorAll("article").length`); n != 2 {
				t.Fatalf("an empty task is sent: %d turns", n)
			}
			b.fill(".tasks textarea", 2, "How long a dive lasts at 12 metres")
			value[chromedp.Void](b, `document.querySelectorAll(".tasks .tools button:first-child")[2].click()`)
			value[chromedp.Void](b, watch)
			b.press("Approve the change")
			b.articles(3)
			b.has("the drip trays", "45 decibels", "90 minutes", "3 tasks", "How it was researched (rated")
			if text := b.last(); strings.Contains(text, "every 12 months") {
				t.Errorf("the removed task was done:\n%s", text)
			}
			seen := value[[]string](b, `[...seen]`)
			for _, want := range []string{
				"pending: How long a dive lasts at 12 metres", "running: Which noise limit applies at night?",
				"complete: Which noise limit applies at night?", "complete: The checks before a ship takes fuel",
			} {
				if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, want) }) {
					t.Errorf("the page has not shown %q: %q", want, seen)
				}
			}
			for _, want := range []string{"drip trays", "45 decibels", "90 minutes"} {
				if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, "finding: ") && strings.Contains(s, want) }) {
					t.Errorf("no finding with %q was shown: %q", want, seen)
				}
			}
			plan := value[[]string](b, `[...document.querySelectorAll("article:last-child .plan li")].map(li => li.children[1].textContent)`)
			if len(plan) != 3 || !strings.HasPrefix(plan[1], "How long a dive") || !strings.HasPrefix(plan[2], "Which noise limit") {
				t.Errorf("the plan is %q", plan)
			}
			b.press("How it was researched")
			b.has("Searched: decibel limit fence night", "Searched: How long a dive lasts at 12 metres", "You added: Also the permit, at a berth.")

			// Each citation opens its passage.
			n := value[int](b, `document.querySelectorAll("article:last-child .text .figure").length`)
			for i := range n {
				value[chromedp.Void](b, fmt.Sprintf(`document.querySelectorAll("article:last-child .text .figure")[%d].click()`, i))
			}
			b.has("At the fence of zone A the limit is 45 decibels at night.", "At 12 metres a dive lasts at most 90 minutes.")
			if closed := value[int](b, `document.querySelectorAll("article:last-child .proofs .source:not([open])").length`); closed > 0 || n < 4 {
				t.Errorf("%d citations, and %d sources stay closed", n, closed)
			}
			show("research-report")
			b.reload()

			b.ask("Was kosten Schlepper, und an welchen Tagen wird Öl abgeholt?")
			b.press("Approve")
			b.articles(5)
			b.has("900 Euro je Stunde", "Was fehlt", "Winterdiensttabelle")
			b.reload()
			b.has("900 Euro je Stunde", "Öl wird montags abgeholt", "Findings (", "Timeline (")

			b.ask("Wie viel Liegegeld zahlt ein Schiff mit Landstrom für drei Nächte?")
			b.press("Reject the tasks")
			b.do(chromedp.SendKeys(".questions input:last-of-type:not(.tasks input)", "zu teuer"))
			b.press("Reject")
			b.articles(7)
			b.has("nicht genehmigt", "zu teuer")
			b.reload()
		})
	}
}

// TestResearchKilled kills the program in the middle of a research, and starts it again:
// the page shows the rest.
func TestResearchKilled(t *testing.T) {
	b, kill, restart := mortal(t, "700ms")
	b.press("Wie viel Liegegeld zahlt ein Schiff mit Landstrom")
	b.press("Approve")
	b.until(`document.querySelectorAll(".findings li").length >= 2`)
	kill()
	if n := value[int](b, `document.querySelectorAll(".plan .running").length`); n == 0 {
		t.Error("no task runs")
	}
	b.show("research-lost")
	restart()
	b.until(`[...document.querySelectorAll(".text")].at(-1)?.innerText.includes("15 Prozent weniger")`)
	b.articles(2)
	b.has("120 Euro Liegegeld", "mindestens 400 Volt", "Plan (2 tasks)")
	if n := value[int](b, `document.querySelectorAll("article:last-child .plan .complete").length`); n != 2 {
		t.Errorf("%d tasks are complete", n)
	}
	events := value[int](b, `document.querySelectorAll("article:last-child .trace li").length`)
	findings := value[int](b, `document.querySelectorAll("article:last-child .findings li").length`)
	b.do(chromedp.Reload())
	b.articles(2)
	// An event that was saved when the program was killed, and not yet shown, comes twice.
	if n := value[int](b, `document.querySelectorAll("article:last-child .trace li").length`); n < events {
		t.Errorf("%d events are shown after a reload, and %d before it", n, events)
	}
	if n := value[int](b, `document.querySelectorAll("article:last-child .findings li").length`); n != findings || n < 3 {
		t.Errorf("%d findings are shown after a reload, and %d before it", n, findings)
	}
}

// TestResearchEnd ends the questions before a research with the command that they name:
// as a message, and by its button. The page shows what the conversation costs.
func TestResearchEnd(t *testing.T) {
	t.Setenv("MODEL_PRICE_INPUT", "1000")
	t.Setenv("MODEL_PRICE_OUTPUT", "2000")
	_, b := open(t)
	for i, end := range []func(){func() { b.ask("/end") }, func() { b.press("/end") }} {
		b.press("New conversation")
		b.until(`document.querySelectorAll("article").length === 0`)
		b.press("What must be checked before a ship takes fuel")
		b.articles(1)
		if i == 0 {
			b.show("research-end")
		}
		end()
		b.articles(2)
		b.has("/end", "May they run?", "2. How often hoses are tested")
	}
	// Each reply of the model in a research has 700 tokens of input and 150 of output; the route has none.
	b.has("5 calls, cost 4") // of both turns: the route, and two replies each
	b.press("Approve")
	b.articles(3)
	b.has("cost ")
	if got := value[string](b, `document.querySelector("#used").textContent`); !strings.HasSuffix(b.last(), "\n"+got) {
		t.Errorf("the conversation shows %q, and its last answer, which has the cost of its questions, is:\n%s", got, b.last())
	}
	b.reload()
}

// TestCost compares the cost of a conversation with what its model calls have cost.
func TestCost(t *testing.T) {
	var in, out atomic.Int64 // tokens
	scripted := port.Model(llmtest.New(port.Transcript()...))
	model := llm.Wrap(llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		resp, err := scripted.Generate(ctx, req, stream)
		if err == nil {
			in.Add(int64(resp.Usage.InputTokens))
			out.Add(int64(resp.Usage.OutputTokens))
		}
		return resp, err
	}), llm.Prices(map[string]llm.Price{"": {Input: 3, Output: 15}}))
	docs, err := port.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent, err := research.New(model, docs.Index, &research.Options{
		Registry: docs.Registry, TopK: 2, MinPassages: 1, MaxRounds: 2, ApprovePlan: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := hostAgent(t, agent)
	shown := func() {
		t.Helper()
		cost := float64(in.Load())/1e6*3 + float64(out.Load())/1e6*15
		want := value[string](b, fmt.Sprintf(`(%v).toLocaleString("en", {maximumSignificantDigits: 3})`, cost))
		if got := value[string](b, `document.querySelector("#used").textContent`); !strings.HasSuffix(got, "cost "+want) || cost == 0 {
			t.Errorf("the conversation shows %q, want the cost %s", got, want)
		}
	}
	const fee = "Wie viel Liegegeld zahlt ein Schiff mit Landstrom für drei Nächte?"
	b.ask(fee)
	shown()
	b.press("Approve")
	b.articles(2)
	shown()
	b.ask(fee)
	shown()
	b.press("Never mind") // what was dropped has cost something too
	b.articles(4)
	b.ask(fee)
	b.press("Approve")
	b.articles(6)
	shown()
	b.reload()
	shown()
}

var citationKey = regexp.MustCompile(`(?m)^\[(c\w{5})\]`)

// TestHostileResearch researches a document with HTML, script, images and links, which
// the model repeats wherever it can.
func TestHostileResearch(t *testing.T) {
	asked := make(chan string, 100)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer elsewhere.Close()
	attack := fmt.Sprintf(`<script>owned=1;fetch("%[1]s/script")</script><img src="%[1]s/img" onerror="owned=1"> `+
		`![i](%[1]s/picture) [fee](javascript:owned=1) <a href="javascript:owned=1">fee</a>`, elsewhere.URL)
	chunks, err := rag.Read(t.Context(), fstest.MapFS{"evil.md": {Data: []byte("# " + attack + "\n\nThe fee is 5 EUR. " + attack)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Put(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	reply := func(name string, v any) llmtest.Rule {
		return llmtest.Rule{Name: name, Replies: []llmtest.Reply{{JSON: v}}, Repeat: true}
	}
	object := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	scripted := llmtest.New(
		reply("analyze_question", object("key_concepts", []string{attack}, "entities", []string{}, "scope", attack, "language", "en",
			"clarification_needed", true, "queries", []string{"fee"}, "question", attack)),
		reply("plan_tasks", object("tasks", []any{object("description", attack, "query", "fee "+attack)})),
		reply("condense_passage", object("relevant", attack, "score", 1, "references", []any{})),
		reply("gate_references", object("decisions", []any{object("reference", 0, "follow", false, "reason", attack)})),
		reply("assess_task", object("done", false, "gaps", []string{attack})),
		reply("check_quality", object("factual_accuracy", 90, "semantic_validity", 90, "structural_integrity", 90, "query_relevance", 90, "issues", []string{attack})),
	)
	model := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name != "write_report" {
			return scripted.Generate(ctx, req, stream)
		}
		key := citationKey.FindString(req.Messages[len(req.Messages)-1].Content)
		text := fmt.Sprintf("## %[1]s\n\n%[1]s %[2]s.\n\n- %[1]s\n\n|a|\n|-|\n|%[1]s|", attack, key)
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}, FinishReason: llm.FinishStop}, nil
	})
	agent, err := research.New(model, index, &research.Options{ApprovePlan: true})
	if err != nil {
		t.Fatal(err)
	}
	b := hostAgent(t, agent)
	value[chromedp.Void](b, watch)
	b.ask("What is the fee?")
	b.fill(".questions textarea", 0, attack)
	b.press("Reply")
	b.articles(2)
	b.press("Change the tasks")
	b.fill(".tasks textarea", 0, "The fee? "+attack)
	b.press("Approve the change")
	b.articles(3)
	b.has("onerror", "How it was researched", "[1]")
	seen := value[[]string](b, `[...seen]`)
	if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, "finding: <script>") }) {
		t.Errorf("no finding was shown: %q", seen)
	}
	value[chromedp.Void](b, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
	b.show("research-hostile")
	if got := value[string](b, `typeof owned + document.querySelectorAll("#turns script, #turns img, #turns iframe, #turns a").length`); got != "undefined0" {
		t.Errorf("a text ran, or is a link: %s", got)
	}
	select {
	case path := <-asked:
		t.Errorf("the page has loaded %s", path)
	default:
	}
}
