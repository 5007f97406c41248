package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/settings"
)

// open returns a client of the cluster that the settings name, which is filled, or of
// the recording.
func open(ctx context.Context, conf settings.Search, show *chat.Printer) (*esclient.Client, error) {
	if conf.URL == "" {
		show.Note("No cluster is configured (ELASTICSEARCH_URL), so this replays a recording of Elasticsearch.")
		recording, err := estest.Replay(bytes.NewReader(folders.Recording))
		if err != nil {
			return nil, err
		}
		return esclient.New(&esclient.Config{Transport: recording})
	}
	cluster, err := url.Parse(conf.URL)
	if err != nil || cluster.Host == "" {
		return nil, fmt.Errorf("ELASTICSEARCH_URL is no URL such as http://localhost:9200") // it may hold a password
	}
	filling, err := elastictransport.NewClient(
		elastictransport.WithURLs(cluster),
		elastictransport.WithAPIKey(conf.APIKey),
		elastictransport.WithBasicAuth(conf.Username, conf.Password),
		elastictransport.WithDisableRetry(),
	)
	if err != nil {
		return nil, err
	}
	if err := folders.Fill(ctx, filling); err != nil {
		return nil, fmt.Errorf("%s: %w", cluster.Redacted(), err)
	}
	show.Note("Searching %s on %s.", folders.Index, cluster.Redacted())
	return esclient.New(&esclient.Config{URLs: []string{conf.URL}, Username: conf.Username, Password: conf.Password, APIKey: conf.APIKey})
}
