package main

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"

	"github.com/qedkit/qed/chart/page"
)

//go:embed assets
var assets embed.FS

// policy is the Content-Security-Policy of the page: its own scripts and styles, and
// nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// newSite returns a handler of the page. Requests for other paths go to the agent. Each
// conversation of questions can be begun in the page, and continued with what follows in it.
func newSite(agent http.Handler, questions [][]string) http.Handler {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // not reached: the folder is embedded
	}
	if questions == nil {
		questions = [][]string{}
	}
	suggested, err := json.Marshal(questions)
	if err != nil {
		panic(err) // not reached: texts have a JSON form
	}
	charts := page.Script()
	mux := http.NewServeMux()
	mux.Handle("/", agent)
	mux.Handle("GET /{$}", http.FileServerFS(files))
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(files)))
	mux.HandleFunc("GET /charts.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(charts) // the browser may have left
	})
	mux.HandleFunc("GET /questions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(suggested)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}
