package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

var crews = qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	qed.Emit(ctx, qed.RouteDecision{Route: "sql"})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There are"})
	return qed.Answer{Text: "There are 10."}, nil
})

// The handler streams the events of a turn.
func Example() {
	server := httptest.NewServer(serve.New(crews, nil))
	defer server.Close()

	body := `{"input": {"message": "How many technicians are active?"}, "conversation": {"id": "c1"}}`
	resp, err := http.Post(server.URL+"/internal/chat/stream", "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), `"complete"`) {
			break
		}
		if lines.Text() != "" {
			fmt.Println(lines.Text())
		}
	}
	// Output:
	// data: {"event":"route_decision","route":"sql"}
	// data: {"event":"tool_start","tool":"sql_agent"}
	// data: {"event":"token","channel":"final","content":"There are"}
	// data: {"event":"token","channel":"final","content":" 10."}
}

// A route of the host answers with the text alone. The user is the one that the token
// of the request names.
func ExampleHandler_Handle() {
	tokens := map[string]string{"secret": "ann"} // from your login
	handler := serve.New(crews, &serve.Options{
		Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
			token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			user, ok := tokens[token]
			if !ok {
				return nil, serve.Caller{}, errors.New("unknown token")
			}
			return r.Context(), serve.Caller{User: user, Tenant: "acme"}, nil
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	handler.Handle("POST /ask", func(ctx context.Context, c serve.Caller, w http.ResponseWriter, r *http.Request) error {
		var in struct {
			Question string `json:"question"`
		}
		if err := handler.ReadJSON(w, r, &in); err != nil {
			return err
		}
		for event := range handler.Events(ctx, qed.Turn{User: c.User, Tenant: c.Tenant, Text: in.Question}) {
			switch last := event.Data.(type) {
			case qed.Completed:
				fmt.Fprintf(w, "%s, %s", c.User, last.Answer.Text)
			case qed.Failed:
				return serve.Failure(last)
			}
		}
		return nil
	})

	for _, token := range []string{"secret", "guessed"} {
		request := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"question": "How many technicians are active?"}`))
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		fmt.Println(response.Code, response.Body)
	}
	// Output:
	// 200 ann, There are 10.
	// 401 {"error":{"message":"the request is not authenticated","type":"invalid_request_error","code":"unauthorized"}}
}

// A server for users: the host's session says who they are, turns have a budget and
// survive their readers, and a shutdown lets them end.
func ExampleHandler_Shutdown() {
	conversations := new(store.InMemory) // or sqlitestore.Open, sqlstore.New
	handler := serve.New(qed.Durable(crews, conversations, nil), &serve.Options{
		Caller: func(r *http.Request) (context.Context, serve.Caller, error) {
			session, err := r.Cookie("session")
			if err != nil {
				return nil, serve.Caller{}, err
			}
			user := session.Value // look the session up
			ctx := budget.With(r.Context(), budget.Limits{ModelCalls: 20})
			return ctx, serve.Caller{User: user, Tenant: "acme"}, nil
		},
		Store:  conversations,
		Rejoin: true,
	})
	server := &http.Server{Addr: "localhost:8080", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()

	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-interrupted.Done()
	patience, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := handler.Shutdown(patience); err != nil {
		log.Print("turns were cancelled: ", err)
	}
	if err := server.Shutdown(context.Background()); err != nil {
		log.Print(err)
	}
}
