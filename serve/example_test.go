package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
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
func ExampleNew() {
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
	// data: {"event":"token","channel":"final","content":"There are"}
	// data: {"event":"token","channel":"final","content":" 10."}
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
