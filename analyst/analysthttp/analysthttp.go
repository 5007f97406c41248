// Package analysthttp serves package analyst over HTTP, for uploaded files.
//
//	h, err := analysthttp.New(model, nil)
//	err = http.ListenAndServe("localhost:8080", h)
//
// It has the paths of package [serve], whose conversations are the sessions, and these:
//
//	POST   /api/datasets            stores a file; the response has its session
//	DELETE /api/datasets/{session}  ends a session and deletes its file
//	POST   /api/agentic-explore     explores the file of a session
//	POST   /api/report              writes a report on what was found
//
// Options.Serve.Caller authenticates requests. A session belongs to the user and
// tenant that uploaded its file; for others it does not exist. /conversations needs
// Options.Analyst.Store.
//
// A request that is refused gets the error of package [serve]. Its code is "file" if the
// file cannot be read, "too_large" if it is too large, "no_session" if the session does
// not exist, and "busy" if the session is being explored.
//
// # Upload
//
// The body is the file itself, or multipart/form-data with the file in a field "file".
// By default it is CSV, JSON or Excel (.xlsx): see [Options].Open. The response has status 201:
//
//	{"session": "..", "schema": [{"name": "..", "type": ".."}, ..], "columnCount": 3,
//	 "rowCount": 100, "sampleData": [[..], ..], "notes": ["..", ..], "load": {..}}
//
// The notes say what was changed or could not be decided when the file was read, in the
// language of the parameter "language" of the address, such as "de", or else in English. load is
// the [tabular.Report]. Where a note or an error names an option, it is a parameter of the address:
// separator, decimal, dateorder, encoding, headerline, sheet or skiptotals, as in
// /api/datasets?decimal=,&sheet=Sales. See [tabular.Options] for the values.
//
// # Explore
//
//	{"session": "..", "question": "..", "dataDescription": "..", "maxSteps": 15,
//	 "language": "de"}
//
// Session and question are required. Schema, sampleData and rowCount are accepted and
// ignored. The response is the exploration: status, summary, insights, figures,
// executedQueries, charts, checks and metadata, see [analyst.Exploration]. A request
// with "Accept: text/event-stream" gets each event of the turn. The last event is the
// exploration, or {"status": "error", "error": "..", "code": ".."}.
//
// # Report
//
//	{"session": "..", "question": "..", "explorationResults": {..}}
//
// The results are the responses of explorations: one, or a list of at most 20. Older
// clients send {"sqlHistory": [{"query": ".."}, ..], "charts": [..]} instead. What a
// client sends is not trusted: its queries run again, and its charts get the new rows.
// At most 100 queries and charts run in a request. The response is
//
//	{"report": "..", "charts": [..], "figures": [..], "executedQueries": [..],
//	 "unproved": [..], "omitted": [..]}
//
// The report is Markdown that a model wrote: show it without HTML and without images
// from elsewhere, as package [chart/page] does. Unproved has the numbers that are in no
// row, and omitted the queries and charts that were left out, with the reason. With
// "Accept: text/event-stream" the text is streamed, and the response is the last event.
//
// [chart/page]: https://pkg.go.dev/github.com/qedkit/qed/chart/page
// [serve]: https://pkg.go.dev/github.com/qedkit/qed/serve
package analysthttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/tempdir"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/serve"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. A negative
// number is an error.
type Options struct {
	Analyst analyst.Options // Load must be nil
	Serve   serve.Options   // Store is replaced by that of Analyst

	// Folder is the directory of the uploaded files. Processes that share it and the
	// store of Analyst serve the same sessions, also after a restart. Empty means a
	// temporary directory, which [Handler.Close] removes. If the process is killed, the
	// next process with a Handler removes it.
	Folder string

	// MaxUpload limits a file, in bytes. 0 means 64 MiB.
	MaxUpload int64

	// MaxFiles limits the files of a caller. 0 means 20.
	MaxFiles int

	// MaxAge is how long a file is kept after its last use. 0 means a day. Each upload
	// deletes the files that are older.
	MaxAge time.Duration

	// Record wraps an agent so that its turns are recorded under a name. The method
	// Agent of qedotel.Telemetry does that. The names are "exploration", "report", and
	// "end" for the end of a session. Nil records nothing.
	Record func(name string, agent qed.Agent) qed.Agent

	// Open opens a file, and returns what was found in it. Its errors are shown to the client if
	// they are [*tabular.Error] or [ErrFile]. Nil means [dataset.Open], which reads CSV, JSON and
	// Excel. Package duckdb reads Parquet.
	Open func(ctx context.Context, path string, opt tabular.Options) (analyst.Data, tabular.Report, error)
}

// ErrFile matches errors of [Options].Open whose text is for the client.
var ErrFile = errors.New("the file cannot be read")

// A Handler serves an analyst. It is an [http.Handler] and safe for concurrent use.
type Handler struct {
	opt     Options
	files   *files
	analyst *analyst.Analyst
	serve   *serve.Handler
	temp    *tempdir.Dir // nil if the directory is the host's

	recorded qed.Agent // the analyst
}

// New returns a handler for uploaded files.
func New(model llm.Model, opt *Options) (h *Handler, err error) {
	h = &Handler{opt: option.Of(opt)}
	o := &h.opt
	err = errors.Join(
		option.Default("analysthttp: Options.MaxUpload", &o.MaxUpload, 64<<20),
		option.Default("analysthttp: Options.MaxFiles", &o.MaxFiles, 20),
		option.Default("analysthttp: Options.MaxAge", &o.MaxAge, 24*time.Hour),
	)
	switch {
	case err != nil:
		return nil, err
	case o.Analyst.Load != nil:
		return nil, errors.New("analysthttp: Options.Analyst.Load must be nil: uploaded files are read")
	}
	if o.Record == nil {
		o.Record = func(_ string, agent qed.Agent) qed.Agent { return agent }
	}
	o.Serve.Logger = cmp.Or(o.Serve.Logger, slog.Default())
	if o.Open == nil {
		o.Open = openDataset
	}
	if o.Folder == "" {
		if h.temp, err = tempdir.New("", "qed-analyst-"); err != nil {
			return nil, fmt.Errorf("analysthttp: %w", err)
		}
		o.Folder = h.temp.Path
	}
	h.files = &files{folder: o.Folder, maxAge: o.MaxAge, limit: o.MaxFiles}
	o.Analyst.Load = h.load
	if h.analyst, err = analyst.New(model, analyst.Data{}, &o.Analyst); err != nil {
		return nil, errors.Join(err, h.removeTemp())
	}
	o.Serve.Store = o.Analyst.Store
	h.recorded = o.Record("exploration", h.analyst)
	h.serve = serve.New(guarded{h}, &o.Serve)
	h.serve.Handle("POST /api/datasets", h.upload)
	h.serve.Handle("DELETE /api/datasets/{session}", h.end)
	h.serve.Handle("POST /api/agentic-explore", h.explore)
	h.serve.Handle("POST /api/report", h.report)
	return h, nil
}

// ServeHTTP serves a request. Its path must be one of those of the package.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve.ServeHTTP(w, r) }

// Shutdown refuses new requests and waits for those that run: see
// [serve.Handler.Shutdown].
func (h *Handler) Shutdown(ctx context.Context) error { return h.serve.Shutdown(ctx) }

// Close closes the data of all sessions. Call it after Shutdown.
func (h *Handler) Close() error { return errors.Join(h.analyst.Close(), h.removeTemp()) }

func (h *Handler) removeTemp() error {
	if h.temp == nil {
		return nil
	}
	return h.temp.Remove()
}

// guarded is the analyst, which refuses a turn of a session that does not exist before
// its conversation begins.
type guarded struct{ *Handler }

func (h guarded) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	if _, err := h.files.use(turn.Thread, owner{turn.Tenant, turn.User}); err != nil {
		return qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, err }).Run(ctx, turn)
	}
	return h.recorded.Run(ctx, turn)
}

// load returns the data of a session.
func (h *Handler) load(ctx context.Context, turn qed.Turn) (analyst.Data, error) {
	path, err := h.files.use(turn.Thread, owner{turn.Tenant, turn.User})
	if err != nil {
		return analyst.Data{}, err
	}
	opt, err := readOptions(path)
	if err != nil {
		return analyst.Data{}, err
	}
	opt.Language = turn.Language
	data, report, err := h.opt.Open(ctx, path, opt)
	if to, ok := ctx.Value(reportKey{}).(*tabular.Report); ok {
		*to = report
	}
	return data, err
}

// openDataset opens a file in SQLite.
func openDataset(ctx context.Context, path string, opt tabular.Options) (analyst.Data, tabular.Report, error) {
	d, err := dataset.Open(ctx, path, &opt)
	if err != nil {
		return analyst.Data{}, tabular.Report{}, err
	}
	return analyst.Data{DB: d.DB, Policy: d.Policy, Dialect: sqlite.Dialect{}, Table: d.Table, Notes: d.Notes(), Close: d.Close}, d.Report, nil
}
