package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// quickstart runs the program with nothing configured but env.
func quickstart(t *testing.T, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	return chattest.Run(t, run, env, in, args...)
}

// What a person sees first is three questions, on two screens: a plain one, one whose
// statement is corrected, and one that the user makes clear.
func TestFirst(t *testing.T) {
	out, err := quickstart(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for text, n := range map[string]int{
		"\n? ": 4, "\n  correct ": 1, "\n  refused ": 1, "\n  question ": 1, "\n  answer ": 3,
		"\n? by the shipping location\n": 1, "-all": 1,
	} {
		if got := strings.Count(out, text); got != n {
			t.Errorf("%q is printed %d times, want %d", text, got, n)
		}
	}
	if n := strings.Count(out, "\n"); n > 120 {
		t.Errorf("%d lines are printed", n)
	}
}

// The samples of the READMEs are parts of what the program prints, but for its times.
func TestReadmes(t *testing.T) {
	samples := map[string]string{}
	for path, begin := range map[string]string{"../../README.md": "```\n? ", "../README.md": "```\n  tables "} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, sample, _ := strings.Cut(string(text), begin)
		samples[path], _, _ = strings.Cut(sample, "\n```")
	}
	shown, err := quickstart(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	taken := regexp.MustCompile(`in (under )?[0-9]+ ms`)
	for path, sample := range samples {
		rest := taken.ReplaceAllString(shown, "in no time")
		lines := strings.Split(taken.ReplaceAllString(sample, "in no time"), "\n")
		if len(lines) < 10 {
			t.Errorf("%s: a sample of %d lines", path, len(lines))
		}
		for _, line := range lines {
			part, _, _ := strings.Cut(line, " ...") // the rest is left out
			_, after, ok := strings.Cut(rest, strings.TrimRight(part, " ,"))
			if !ok {
				t.Errorf("%s: this line is not printed after those before it: %q", path, line)
				break
			}
			rest = after
		}
	}
}

func TestReplay(t *testing.T) {
	out, err := quickstart(t, nil, "", "-all")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range fieldservice.Questions("sqlite") {
		if !strings.Contains(out, "? "+q.Question) {
			t.Errorf("the transcript lacks the question %q", q.Question)
		}
	}
	for _, step := range []string{"tables ", "path ", "model ", "secured ", "valid ", "refused ", "correct ", "ran ", "answer ", "rows "} {
		if !strings.Contains(out, "\n  "+step) {
			t.Errorf("no turn shows the step %q", step)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("the output has colours without a terminal")
	}
	if strings.Contains(out, "FROM employee ") && !strings.Contains(out, `"main"."secure_employee"`) {
		t.Error("a statement ran without its secure view")
	}
}

// Each recorded answer says every cell of the rows that its statement returned
// through the guard. Each of its numbers is looked up in the rows, or is in them or
// in the question.
func TestReplayedAnswersAreTrue(t *testing.T) {
	chattest.Isolate(t, nil)
	src, err := database.OpenSource(t.Context(), &database.Options{Example: fieldservice.Database()}, &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	questions := fieldservice.Questions("sqlite")
	model := llmtest.New(replay.Rules(questions)...)
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &sqlagent.Options{Store: &store.InMemory{}})
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]bool{ // answers without rows
		"complete-an-order": true, // no statement may run: the agent says why instead
		"overpaid":          true,
	}
	thread, answered := "", 0
	for _, q := range questions {
		if q.Follows == "" {
			thread = q.ID
		}
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: thread, Text: q.Question})
		if err != nil {
			t.Fatalf("%s: %v", q.ID, err)
		}
		if q.ID != "complete-an-order" && !strings.Contains(answer.Text, q.Answer) {
			t.Errorf("%s: the answer is not the recorded one: %s", q.ID, answer.Text)
		}
		if len(answer.Unproved) > 0 || strings.Contains(answer.Text, "(unknown)") {
			t.Errorf("%s: the answer has numbers that are not proved (%v): %s", q.ID, answer.Unproved, answer.Text)
		}
		rows := answer.Table != nil && len(answer.Table.Rows) > 0
		if rows == without[q.ID] {
			t.Errorf("%s: the answer has rows: %t, want %t", q.ID, rows, !without[q.ID])
		}
		if !rows {
			continue
		}
		answered++
		for _, row := range answer.Table.Rows {
			for _, cell := range row {
				if text := fmt.Sprint(cell); !chattest.Says(answer.Text, text) {
					t.Errorf("%s: the answer does not say %q: %s", q.ID, text, answer.Text)
				}
			}
		}
	}
	if want := len(questions) - len(without); answered != want || want < 10 {
		t.Errorf("%d answers were compared with their rows, want %d", answered, want)
	}
}

func TestWrongTurns(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string // in the error
	}{
		"a question that the transcript lacks": {[]string{"What is love?"}, "qed-ask"},
		"all questions and one":                {[]string{"-all", "Why?"}, "-all"},
		"keeping and asking":                   {[]string{"-keep", "company", "Why?"}, "-keep"},
		"an unknown flag":                      {[]string{"-nope"}, "-nope"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := quickstart(t, nil, "", tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that contains %q", err, tt.want)
			}
		})
	}
}

// TestKeep checks that the files are what qed-ask needs: the database with its policy
// and its join graph.
func TestKeep(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	out, err := quickstart(t, nil, "", "-keep", folder)
	if err != nil || !strings.Contains(out, "qed-ask -dsn "+path("company.db")) {
		t.Fatalf("%v: %s", err, out)
	}
	src, err := database.OpenSource(t.Context(), &database.Options{
		DSN: path("company.db"), Policy: path("policy.json"), Graph: path("graph.json"),
	}, &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if notes := strings.Join(src.Notes, "\n"); strings.Contains(notes, "Join graph") {
		t.Errorf("a part of the graph is not used: %s", notes)
	}
	if _, err := quickstart(t, nil, "", "-keep", folder); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("error = %v; the files are kept", err)
	}
}

// TestLinksNothingMore checks that a replay on SQLite links no SDK of a provider, and no
// driver or grammar of a server.
func TestLinksNothingMore(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{
		"openai-go", "anthropic-sdk-go", "go-sql-driver/mysql", "jackc/pgx", "wazero", "marino", "go-pgquery", "dialect/mysql",
		"dialect/postgres", "net/http\n", "crypto/tls\n",
	} {
		if strings.Contains(string(out), heavy) {
			t.Errorf("the program links %s", strings.TrimSpace(heavy))
		}
	}
}

func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, nil, strings.NewReader(""), io.Discard); err == nil {
		t.Error("a cancelled run succeeded")
	}
}

// TestMain runs the program itself for the tests that start it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("QUICKSTART_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestReaderGoesAway closes the output after one line. The program must end and clean up.
func TestReaderGoesAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE")
	}
	dir := t.TempDir()
	program := exec.Command(os.Args[0])
	program.Dir = dir
	temp := filepath.Join(dir, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	program.Env = append(os.Environ(), "QUICKSTART_MAIN=1", "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "TMPDIR="+temp)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(out, 16).ReadString('\n'); err != nil {
		t.Error(err)
	}
	out.Close()
	if err := program.Wait(); err == nil {
		t.Error("the program answered to the end")
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("the program left %v behind (%v)", left, err)
	}
}

// TestExitStatus checks that a failure is one line on standard error and status 1.
func TestExitStatus(t *testing.T) {
	for _, args := range [][]string{{"-nope"}, {"-dsn", "missing.db"}, {"-all", "Why?"}} {
		program := exec.Command(os.Args[0], args...)
		program.Dir = t.TempDir()
		program.Env = append(os.Environ(), "QUICKSTART_MAIN=1", "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "ANTHROPIC_API_KEY=")
		var errs strings.Builder
		program.Stderr = &errs
		err := program.Run()
		if code := program.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%v: status %d (%v)", args, code, err)
		}
		if got := errs.String(); !strings.HasPrefix(got, "quickstart: ") || strings.Count(got, "\n") != 1 {
			t.Errorf("%v: standard error is %q", args, got)
		}
	}
}
