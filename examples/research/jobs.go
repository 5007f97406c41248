package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/conversations"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/store"
)

// A jobsCommand is what the flags say about researches that run as jobs.
type jobsCommand struct {
	store, accounts, account string
	worker, submit           bool
	watch, cancel            int64
	lease, think             time.Duration
}

func (j *jobsCommand) flags(flags *flag.FlagSet) {
	flags.StringVar(&j.store, "store", "", "the PostgreSQL `database` of jobs and conversations, postgres://..")
	flags.StringVar(&j.accounts, "accounts", "", "JSON `file` with the collections that each account may read, {\"ann\": [\"en\"]}; default: every account may read all")
	flags.StringVar(&j.account, "account", "ann", "the `account` that -submit asks for")
	flags.BoolVar(&j.worker, "worker", false, "run researches until it is interrupted; needs -store")
	flags.BoolVar(&j.submit, "submit", false, "submit the question as a job and print its number; needs -store")
	flags.Int64Var(&j.watch, "watch", 0, "show the progress of a `job` and its report; needs -store")
	flags.Int64Var(&j.cancel, "cancel", 0,
		"cancel the research of a `job`, by the number that -submit printed; needs -store")
	flags.DurationVar(&j.think, "think", 0, "how `long` the model waits before each answer; a -worker prints its calls")
	flags.DurationVar(&j.lease, "lease", 30*time.Second, "the `time` after which a worker that does not answer is replaced")
}

// wanted reports whether a flag asks for jobs.
func (j *jobsCommand) wanted() bool { return j.worker || j.submit || j.watch != 0 || j.cancel != 0 }

// A job is a research. What runs it, and for whom, is known to its host: the log of the
// run is not asked.
type job struct {
	Thread   string `json:"thread"`
	Question string `json:"question"`
	Account  string `json:"account"`

	// After is when a dead worker did something for the last time: it began its job, or
	// recorded something. It is zero in the job that begins the research. Of all workers
	// that see the dead one, one submits the job that replaces it.
	After time.Time `json:"after,omitzero"`
}

func (job) Kind() string { return "research" }

func (j *jobsCommand) run(ctx context.Context, question string, out io.Writer, conf *settings.Settings) (err error) {
	if !strings.HasPrefix(j.store, "postgres") {
		return errors.New("jobs need -store postgres://..: they are in the database of the conversations")
	}
	pool, err := pgxpool.New(ctx, j.store)
	if err != nil {
		return errors.New("-store is not an address of PostgreSQL") // the error of pgx may quote a password
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	st, _, err := conversations.Open(ctx, j.store, &conf.Conversations)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()

	if j.worker {
		return j.work(ctx, driver, st, out, conf)
	}
	client, err := river.NewClient(driver, &river.Config{})
	if err != nil {
		return err
	}
	switch {
	case j.cancel != 0:
		return cancelResearch(ctx, client, j.cancel)
	case j.watch != 0:
		return watch(ctx, client, st, j.watch, out)
	}
	if question == "" {
		return errors.New("-submit needs a question")
	}
	submitted, err := client.Insert(ctx, job{Thread: qed.Info(ctx).NewID(), Question: question, Account: j.account}, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, submitted.Job.ID)
	return nil
}

// jobTimeout is longer than any research, whose limits end it.
const jobTimeout = 6 * time.Hour

// work runs jobs until ctx is done.
func (j *jobsCommand) work(
	ctx context.Context, driver *riverpgxv5.Driver, st store.Store, out io.Writer, conf *settings.Settings,
) error {
	docs, err := port.Open(ctx)
	if err != nil {
		return err
	}
	out = command.Log(out)
	show := chat.NewPrinter(out)
	model, _, err := provider.OrReplay(conf, show.Note, port.Model(llmtest.New(port.Transcript()...)))
	if err != nil {
		return err
	}
	if j.think > 0 {
		model = thinking(model, j.think, out)
	}
	w := &worker{store: st, lease: j.lease, rights: rights{j.accounts}}
	w.agent, err = research.New(model, docs.Index, &research.Options{
		Registry: docs.Registry, TopK: 2, MinPassages: 1, Settings: conf.Agent.Settings, Filter: w.rights.filter,
		Store: st, Durable: &qed.DurableOptions{Lease: j.lease},
	})
	if err != nil {
		return err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	w.client, err = river.NewClient(driver, &river.Config{
		Queues:     map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Workers:    workers,
		JobTimeout: jobTimeout,
		Logger:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	if err := w.client.Start(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "The worker runs.")
	w.replaceDead(ctx)
	slog.Info("the worker ends; another one resumes its researches", "reason", context.Cause(ctx))
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return w.client.StopAndCancel(stop) // the runs are resumed by another worker
}

// thinking returns a model that waits before it answers, and prints its calls. Each has
// the hash of its messages.
func thinking(m llm.Model, wait time.Duration, out io.Writer) llm.Model {
	var mu sync.Mutex
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		hash := fnv.New64a()
		for _, message := range req.Messages {
			_, _ = io.WriteString(hash, message.Content)
		}
		call := fmt.Sprintf("%s %s %x", qed.Info(ctx).Turn.Thread, req.Name, hash.Sum64())
		say := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(out, what, call, time.Now().UnixMilli())
		}
		say("asks")
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
		defer say("got")
		return m.Generate(ctx, req, stream)
	})
}

// A worker runs researches.
type worker struct {
	river.WorkerDefaults[job]
	client *river.Client[pgx.Tx]
	agent  qed.Agent
	store  store.Store
	lease  time.Duration
	rights rights
}

func (*worker) Timeout(*river.Job[job]) time.Duration { return jobTimeout }

// Work runs a research, or resumes it. Only one worker can: the others get [qed.ErrBusy]
// and look again later.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	if _, err := w.rights.of(j.Args.Account); err != nil {
		return river.JobCancel(err)
	}
	switch cancelled, err := isCancelled(ctx, w.client, j.Args.Thread); {
	case err != nil:
		return err
	case cancelled:
		return river.JobCancel(errCancelled)
	}
	thread, err := qed.Inspect(ctx, store.ForUser(w.store, "", j.Args.Account), j.Args.Thread)
	if err != nil {
		return err
	}
	turn := qed.Turn{Thread: j.Args.Thread, User: j.Args.Account}
	switch thread.Status {
	case "":
		turn.Text = j.Args.Question
	case store.StatusAnswered, store.StatusInterrupted:
		return nil // another worker was faster, or the user is asked
	}
	ctx = context.WithValue(ctx, accountKey{}, j.Args.Account)
	shown := time.Time{}
	for event, err := range w.agent.Run(ctx, turn) {
		switch {
		case errors.Is(err, qed.ErrBusy):
			return river.JobSnooze(w.lease / 2)
		case errors.Is(err, errRevoked), errors.Is(err, research.ErrForbidden):
			return river.JobCancel(err)
		case err != nil:
			return err
		}
		progress, ok := event.Data.(qed.CustomEvent)
		if !ok || time.Since(shown) < progressEvery {
			continue
		}
		shown = time.Now()
		if _, err := w.client.JobUpdate(ctx, j.ID, &river.JobUpdateParams{Output: progress.JSON}); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "the progress was not saved", "job", j.ID, "error", err)
		}
	}
	return nil
}

const progressEvery = 200 * time.Millisecond

// replaceDead submits jobs for the runs of dead workers until ctx is done. River would
// do so after [jobTimeout] and an hour: it cannot tell a dead worker from a slow one. A
// run that is alive records something each half of a lease, so it is known to be dead
// after a lease, and replaced half a lease later at most.
func (w *worker) replaceDead(ctx context.Context) {
	every := time.NewTicker(w.lease / 2)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		running, err := w.client.JobList(ctx, river.NewJobListParams().Kinds(job{}.Kind()).States(rivertype.JobStateRunning).First(1000))
		if err != nil {
			slog.WarnContext(ctx, "the running jobs cannot be read", "error", err)
			continue
		}
		for _, row := range running.Jobs {
			if err := w.replace(ctx, row); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "a dead job was not replaced", "job", row.ID, "error", err)
			}
		}
	}
}

// replace submits a job for the run of another one, if the worker of that one is dead and
// the research was not cancelled. A cancellation that comes later is seen by [worker.Work].
func (w *worker) replace(ctx context.Context, row *rivertype.JobRow) error {
	var args job
	if err := json.Unmarshal(row.EncodedArgs, &args); err != nil {
		return err
	}
	thread, err := qed.Inspect(ctx, store.ForUser(w.store, "", args.Account), args.Thread)
	if err != nil {
		return err
	}
	args.After = *row.AttemptedAt
	if thread.Updated.After(args.After) {
		args.After = thread.Updated
	}
	// A job ends with its run, at once.
	if thread.Status == store.StatusRunning || time.Since(args.After) <= w.lease {
		return nil
	}
	if cancelled, err := isCancelled(ctx, w.client, args.Thread); cancelled || err != nil {
		return err
	}
	_, err = w.client.Insert(ctx, args, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}})
	return err
}

// errCancelled is returned for a research that was cancelled.
var errCancelled = errors.New("the research is cancelled")

// jobsOf returns the jobs of a research: the one that began it, and those that replaced
// dead ones.
func jobsOf(ctx context.Context, client *river.Client[pgx.Tx], thread string) ([]*rivertype.JobRow, error) {
	part, err := json.Marshal(map[string]string{"thread": thread})
	if err != nil {
		return nil, err
	}
	found, err := client.JobList(ctx, river.NewJobListParams().Kinds(job{}.Kind()).First(10_000).
		Where("args @> @part::jsonb", river.NamedArgs{"part": string(part)})) // River has an index of args
	if err != nil {
		return nil, err
	}
	return found.Jobs, nil
}

// isCancelled reports whether a job of a research was cancelled. River only marks a job
// that runs, and the state of a dead one stays as it is.
func isCancelled(ctx context.Context, client *river.Client[pgx.Tx], thread string) (bool, error) {
	jobs, err := jobsOf(ctx, client, thread)
	if err != nil {
		return false, err
	}
	for _, row := range jobs {
		var mark struct {
			At *time.Time `json:"cancel_attempted_at"`
		}
		if err := json.Unmarshal(row.Metadata, &mark); err != nil {
			return false, err
		}
		if row.State == rivertype.JobStateCancelled || mark.At != nil {
			return true, nil
		}
	}
	return false, nil
}

// cancelResearch cancels a job and the jobs that replaced it. The job is marked first: a
// worker that replaces it meanwhile submits a job that this function finds, or one whose
// [worker.Work] finds the mark.
func cancelResearch(ctx context.Context, client *river.Client[pgx.Tx], id int64) error {
	row, err := client.JobCancel(ctx, id)
	if errors.Is(err, rivertype.ErrNotFound) {
		return fmt.Errorf("there is no job %d", id)
	}
	if err != nil {
		return err
	}
	var args job
	if err := json.Unmarshal(row.EncodedArgs, &args); err != nil {
		return err
	}
	jobs, err := jobsOf(ctx, client, args.Thread)
	if err != nil {
		return err
	}
	for _, other := range jobs {
		if _, err := client.JobCancel(ctx, other.ID); err != nil {
			return err
		}
	}
	return nil
}

// watch shows the progress of a job until its research has ended, and the report.
func watch(ctx context.Context, client *river.Client[pgx.Tx], st store.Store, id int64, out io.Writer) error {
	last := ""
	for {
		row, err := client.JobGet(ctx, id)
		if errors.Is(err, rivertype.ErrNotFound) {
			return fmt.Errorf("there is no job %d", id)
		}
		if err != nil {
			return err
		}
		var args job
		if err := json.Unmarshal(row.EncodedArgs, &args); err != nil {
			return err
		}
		own := store.ForUser(st, "", args.Account)
		thread, err := qed.Inspect(ctx, own, args.Thread)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %s", strconv.FormatInt(id, 10), thread.Status)
		if thread.Status == "" {
			line = fmt.Sprintf("%d %s", id, row.State)
		}
		var p research.Progress
		if raw := row.Output(); raw != nil && json.Unmarshal(raw, &p) == nil && p.Task != "" {
			line += fmt.Sprintf(": %s, %d documents, depth %d, %d tokens left", p.Task, p.Documents, p.Depth, p.TokensLeft)
		}
		if line != last {
			fmt.Fprintln(out, line)
			last = line
		}
		cancelled, err := isCancelled(ctx, client, args.Thread)
		switch {
		case err != nil:
			return err
		case thread.Status == store.StatusAnswered:
			return show(ctx, own, args.Thread, out)
		case cancelled:
			return errCancelled
		case row.State == rivertype.JobStateDiscarded:
			return fmt.Errorf("the job is %s", row.State)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(progressEvery):
		}
	}
}

// show writes the report of a thread.
func show(ctx context.Context, st store.Store, thread string, out io.Writer) error {
	said, err := qed.History(ctx, st, thread, 1)
	if err != nil {
		return err
	}
	for _, turn := range said {
		if turn.Answer != nil {
			fmt.Fprintln(out, "\n"+turn.Answer.Text)
		}
	}
	return nil
}

type accountKey struct{}

// errRevoked is returned for an account without rights.
var errRevoked = errors.New("the account may not read the documents")

// rights are what accounts may read. They are looked up for each job and each search,
// so that a change applies at once.
type rights struct {
	file string // empty: all may read everything
}

func (r rights) of(account string) (collections []string, err error) {
	if r.file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(r.file)
	if err != nil {
		return nil, err
	}
	var all map[string][]string
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	collections, ok := all[account]
	if !ok || len(collections) == 0 {
		return nil, fmt.Errorf("%s: %w", account, errRevoked)
	}
	return collections, nil
}

func (r rights) filter(ctx context.Context) (rag.Filter, error) {
	account, _ := ctx.Value(accountKey{}).(string)
	collections, err := r.of(account)
	if err != nil || collections == nil {
		return rag.Filter{}, err
	}
	return rag.Filter{Metadata: map[string][]string{"collection": collections}}, nil
}
