package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
)

// providers are the variables that would replace the recorded model and data.
var providers = []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ELASTICSEARCH_URL", "DB_NAME"}

// A program is the program, run by a test in its own process.
type program struct {
	address string
	stop    func() error
}

// start runs the program on a store.
func start(tb testing.TB, store string, args ...string) *program {
	tb.Helper()
	for _, name := range providers {
		tb.Setenv(name, "")
	}
	tb.Chdir(tb.TempDir())
	ctx, cancel := context.WithCancel(tb.Context())
	out := &output{found: make(chan string, 1)}
	ended := make(chan error, 1)
	args = append([]string{"-address", "127.0.0.1:0", "-store", store}, args...)
	if !slices.Contains(args, "-pause") {
		args = append(args, "-pause", "0")
	}
	go func() { ended <- run(ctx, args, nil, out) }()
	p := &program{stop: sync.OnceValue(func() error { cancel(); return <-ended })}
	tb.Cleanup(func() {
		if err := p.stop(); err != nil {
			tb.Error(err)
		}
	})
	select {
	case p.address = <-out.found:
	case err := <-ended:
		ended <- nil // for stop
		tb.Fatalf("the program ended: %v", err)
	}
	return p
}

// output finds the address of the page in what the program prints.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	found chan string
}

var opened = regexp.MustCompile(`Open (http://\S+)`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if m := opened.FindSubmatch(o.text.Bytes()); m != nil {
		select {
		case o.found <- string(m[1]):
		default:
		}
	}
	return len(p), nil
}

func open(tb testing.TB) (*program, *browser) {
	tb.Helper()
	b := newBrowser(tb)
	p := start(tb, filepath.Join(tb.TempDir(), "conversations.db"))
	b.do(chromedp.Navigate(p.address))
	b.until(`document.querySelectorAll("#questions button").length > 0`)
	return p, b
}

// TestRecords asks the database: the page shows the query, the joins and the rows, and
// a question of the agent as buttons.
func TestRecords(t *testing.T) {
	_, b := open(t)
	b.show("start")
	b.press("How many invoices were issued for each region in March 2026?")
	b.idle()
	b.has("Which one do you mean?", "by the billing location", "Never mind")
	b.show("question")
	b.press("by the shipping location")
	b.until(`document.querySelectorAll("article").length === 2`)
	b.idle()
	b.has("5 invoices were issued for the North", "4 rows", "Number (invoice.id) of region", "no row of invoice counts more than once", "Query 1 (sql, 4 rows", "Timeline")
	b.press("Query 1")
	b.has("customerLocation.id = invoice.shippingLocationId", "Read through: secure_customerlocation", "As the model wrote it")
	cells := `[...document.querySelectorAll(".rows tbody td:last-child")].map(c => c.textContent).join()`
	b.press("invoices")
	if got := value[string](b, cells); got != "0,2,3,5" {
		t.Errorf("the sorted column is %s", got)
	}
	b.press("invoices")
	if got := value[string](b, cells+` + document.querySelector("th:last-child").ariaSort`); got != "5,3,2,0descending" {
		t.Errorf("the sorted column is %s", got)
	}
	b.press("Timeline")
	b.show("records")
	b.reload()
}

// TestKeyboard asks, answers a question, opens a source and begins anew with keys alone.
func TestKeyboard(t *testing.T) {
	_, b := open(t)
	tab := func(want string) {
		t.Helper()
		for range 40 {
			b.do(chromedp.KeyEvent(kb.Tab))
			if value[bool](b, fmt.Sprintf(`document.activeElement.matches("button, summary") && document.activeElement.textContent.startsWith(%s)`, quoted(want))) {
				if !value[bool](b, `document.activeElement.checkVisibility() && getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
					t.Errorf("the focus on %s is not visible", want)
				}
				return
			}
		}
		t.Fatalf("the key Tab does not reach %s", want)
	}
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until(`document.activeElement.id === "skip"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.id === "text" && !document.querySelector("#start").hidden`)
	b.do(chromedp.KeyEvent("How many invoices were issued for each region in March 2026?"), chromedp.KeyEvent(kb.Enter))
	b.articles(1)
	b.do(chromedp.KeyEvent(kb.Tab))
	tab("by the shipping location")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.articles(2)
	tab("region") // sorts the rows
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("th").ariaSort === "ascending"`)
	tab("Query 1")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.has("Join path", "customerLocation.id = invoice.shippingLocationId")
	tab("New conversation")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`!document.querySelector("#start").hidden && document.activeElement.id === "text"`)
}

// TestDocuments asks the manual: a source opens its passage.
func TestDocuments(t *testing.T) {
	_, b := open(t)
	b.ask("When does a work order count as overdue, and who hears of it?")
	b.has("The branch manager gets a list", "[1] work-orders.md")
	b.press("[1]")
	b.until(`document.querySelector(".source").open || document.querySelector(".source")`)
	value[chromedp.Void](b, `document.querySelector(".text .figure").click()`)
	b.until(`document.querySelector(".source").open`)
	b.has("Overdue ones are red in the planning")
	b.show("rag")
	b.reload()
}

// TestAnalysis explores the orders: figures open their cells, charts are drawn, and a
// report is written.
func TestAnalysis(t *testing.T) {
	_, b := open(t)
	b.ask("Which team is on time more often, and can we trust the invoices?")
	b.until(`document.querySelector(".chart svg") !== null`)
	b.has("83.1", "Generate report", "Ask a follow-up", "Start over", "Checked, contradicted")
	b.show("analysis")
	// A chart keeps its legend when the window gets narrower.
	for _, width := range []int64{390, 1280, 390, 1280} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.until(`(() => {
			const legend = document.querySelector(".chart .role-legend").getBoundingClientRect();
			const chart = document.querySelector(".chart").getBoundingClientRect();
			return legend.width > 0 && legend.right <= chart.right + 1 && chart.right <= innerWidth;
		})()`)
	}
	b.proof(0, "83.1", "Column\non_time_percent", "Row\n2", "SELECT", "Cell\n83.")
	b.show("proof")
	b.press("Close")
	b.press("Ask a follow-up")
	b.ask("Do customers log in more often because they wait longer?")
	b.press("Generate report")
	b.until(`document.querySelectorAll("article").length === 3`)
	b.idle()
	b.until(`[...document.querySelectorAll("article")].at(-1).querySelector(".chart svg") !== null`)
	b.has("Service orders of 2023 and 2024", "overhaul\t62.4 %", "575 rows")
	b.show("report")
	value[chromedp.Void](b, `[...document.querySelectorAll("article")][1].querySelectorAll(".choices button")[2].click()`)
	b.until(`!document.querySelector("#start").hidden && document.querySelectorAll("article").length === 0`)
}

// TestPlan asks the planner: the plan is shown with the status of its tasks.
func TestPlan(t *testing.T) {
	_, b := open(t)
	for _, turn := range shipments().Turns {
		b.ask(turn.Text)
	}
	b.until(`document.querySelector(".chart svg") !== null`)
	b.has("Median delay by carrier", "Plan (")
	b.press("Plan (")
	if n := value[int](b, `[...document.querySelectorAll("article")].at(-1).querySelectorAll(".plan .complete").length`); n == 0 {
		t.Error("no task is complete")
	}
	b.show("plan")
	b.reload()
}

// choose chooses a file to upload.
func (b *browser) choose(name string, content []byte) {
	b.tb.Helper()
	path := filepath.Join(b.tb.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.tb.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles("#file", []string{path}))
}

// proof opens the nth figure of the last turn, and checks what the page shows of it.
func (b *browser) proof(n int, wants ...string) {
	b.tb.Helper()
	value[chromedp.Void](b, fmt.Sprintf(`[...document.querySelectorAll("article")].at(-1).querySelectorAll(".text .figure")[%d].click()`, n))
	b.until(`document.querySelector("#proof").open`)
	text := value[string](b, `document.querySelector("#proof").innerText`)
	for _, want := range wants {
		if !strings.Contains(text, want) {
			b.tb.Errorf("the proof has no %q:\n%s", want, text)
		}
	}
}

// TestUpload analyses files of the user: a good one, one that is no CSV, and one that is
// too large.
func TestUpload(t *testing.T) {
	_, b := open(t)
	b.ignore("status of 422")
	var good bytes.Buffer
	if err := orders.Write(&good); err != nil {
		t.Fatal(err)
	}
	problem := `document.querySelector("#file-problem")`
	b.choose("<img src=x onerror=alert(1)>.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00"))
	b.until("!" + problem + ".hidden")
	if text := value[string](b, problem+".textContent"); strings.Contains(text, "16 MB") || text == "" {
		t.Errorf("a picture is refused with %q", text)
	}
	b.show("no-csv")
	b.choose("large.csv", bytes.Repeat([]byte("a,b\n"), maxUpload/4+1))
	b.until(problem + `.textContent === "The file is larger than 16 MB."`)
	const hostile = "<img src=x onerror=alert(1)>.csv"
	b.choose(hostile, good.Bytes())
	b.articles(1)
	b.has("60,575 rows and 12 columns", "order_id")
	if got := value[string](b, `document.querySelector(".said").textContent + document.images.length`); got != hostile+"0" {
		t.Errorf("the name of the file is %s", got)
	}
	b.ask(orders.Recorded[0])
	b.until(`document.querySelector(".chart svg") !== null`)
	b.has("83.1", "Query 1 (sql", "Timeline", "Checked, contradicted: Beta is on time more often than Alpha.", " steps, ")
	b.press("Checked, contradicted")
	b.has("simpson: fail")
	b.show("upload")

	// Figures of the summary, of an insight and of a report open their cells.
	b.proof(0, "83.1", "Column\non_time_percent", "Row\n2", "Query\n1 of 4", "Cell\n83.", "SELECT")
	b.press("Close")
	b.proof(3, "62.4", "Column\non_time_percent", "Query\n2 of 4", "Cell\n62.37")
	b.show("upload-proof")
	b.press("Close")
	b.press("Ask a follow-up")
	b.ask(orders.Recorded[1])
	b.press("Generate report")
	b.articles(4)
	b.has("Service orders of 2023 and 2024")
	b.proof(0, "Cell\n", "SELECT", " of 5")
	b.press("Close")
	b.press("New conversation")
	b.until(`document.querySelectorAll("article").length === 0`)
}

// TestSheets uploads an Excel file with several sheets, whose numbers can be read in two ways: the
// page shows what was read how, and reads the file again as the user chooses.
func TestSheets(t *testing.T) {
	_, b := open(t)
	rows := func(amounts ...string) (rows string) {
		for i, amount := range append([]string{"amount"}, amounts...) {
			rows += xlsxtest.Row([]string{"region", "North", "South"}[i], amount)
		}
		return rows
	}
	b.choose("sales.xlsx", xlsxtest.Zip(xlsxtest.Parts(false, nil, xlsxtest.Sheet{Name: "2025", Rows: rows("1.234", "2.500")}, xlsxtest.Sheet{Name: "2026 plan", Rows: rows("7", "8")})))
	b.articles(1)
	b.has("2 rows", "not read are \"2026 plan\". The option sheet decides.", "they are text. The option decimal decides.")
	b.show("sheets")
	b.press("Read with decimal \",\"")
	b.articles(2)
	b.has("sales.xlsx, decimal \",\"", "North\t1234")
	b.press("Read with sheet \"2026 plan\"")
	b.articles(3)
	b.has("sheet \"2026 plan\"", "South\t8")
	b.press("How the columns are read")
	b.has("region\ttext\t0\tNorth | South", "amount\tinteger\t0\t7 | 8")
	b.show("other-sheet")
}

// TestStopFile stops the upload of a file, and its analysis. Both can be done again.
func TestStopFile(t *testing.T) {
	b := newBrowser(t)
	p := start(t, filepath.Join(t.TempDir(), "conversations.db"), "-pause", "300ms")
	b.do(chromedp.Navigate(p.address))
	var good bytes.Buffer
	if err := orders.Write(&good); err != nil {
		t.Fatal(err)
	}
	slow := func(bytesPerSecond float64) {
		t.Helper()
		call(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: bytesPerSecond}},
		})
	}
	slow(1000)
	b.choose("orders.csv", good.Bytes())
	b.until(`document.querySelector("#stop").checkVisibility() && document.querySelector("#file-sent").checkVisibility()`)
	b.press("Stop")
	b.idle()
	b.until(`document.querySelector("#file-problem").textContent === "Stopped: the file was not uploaded."`)
	if value[bool](b, `document.querySelector("#file-sent").checkVisibility()`) {
		t.Error("the page says that the file is being sent")
	}
	b.show("upload-stopped")
	slow(-1)
	b.choose("orders.csv", good.Bytes())
	b.articles(1)

	b.say(orders.Recorded[0])
	b.until(`![undefined, "Working"].includes([...document.querySelectorAll(".now")].at(-1)?.textContent)`)
	b.press("Stop")
	b.articles(2)
	b.has("Stopped.")
	b.ask(orders.Recorded[0])
	b.has("83.1", "Generate report")
}
