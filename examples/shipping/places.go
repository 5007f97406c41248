package shipping

// The two ports of Miami. The name "Miami" alone is ambiguous.
const (
	miamiPort     = "USMIA"
	miamiTerminal = "USMIA-MCT"
)

var ports = []Port{
	{miamiPort, "Port of Miami", "Miami", "United States"},
	{miamiTerminal, "Miami Container Terminal", "Miami", "United States"},
	{"USNYC", "Port of New York and New Jersey", "Newark", "United States"},
	{"USSAV", "Port of Savannah", "Savannah", "United States"},
	{"CNSHA", "Port of Shanghai", "Shanghai", "China"},
	{"CNNGB", "Port of Ningbo", "Ningbo", "China"},
	{"SGSIN", "Port of Singapore", "Singapore", "Singapore"},
	{"KRPUS", "Port of Busan", "Busan", "South Korea"},
	{"NLRTM", "Port of Rotterdam", "Rotterdam", "Netherlands"},
	{"DEHAM", "Port of Hamburg", "Hamburg", "Germany"},
	{"ESVLC", "Port of Valencia", "Valencia", "Spain"},
	{"BRSSZ", "Port of Santos", "Santos", "Brazil"},
}

// traffic is the usual number of the company's arrivals at a port per day, and the
// number of days that ships take to the port.
var traffic = map[string]struct{ arrivals, days int }{
	miamiPort:     {19, 16},
	miamiTerminal: {4, 16},
	"USNYC":       {3, 15},
	"USSAV":       {2, 16},
	"CNSHA":       {1, 27},
	"CNNGB":       {1, 27},
	"SGSIN":       {1, 24},
	"KRPUS":       {1, 26},
	"NLRTM":       {4, 21},
	"DEHAM":       {2, 22},
	"ESVLC":       {1, 19},
	"BRSSZ":       {1, 18},
}

// late is the carrier whose ships arrive late at the Port of Miami.
const late = "Meridian Lines"

func vessels() []Vessel {
	return []Vessel{
		{imo(990101), "MSC ANNA", "MSC", "Panama", 19368},
		{imo(990102), "MSC LUCIA", "MSC", "Liberia", 14000},
		{imo(990201), "NORTHSTAR AURORA", "Northstar Shipping", "Norway", 9800},
		{imo(990202), "NORTHSTAR POLARIS", "Northstar Shipping", "Norway", 9800},
		{imo(990301), "MERIDIAN GRACE", late, "Malta", 8200},
		{imo(990302), "MERIDIAN HOPE", late, "Malta", 8200},
		{imo(990401), "ATLAS PIONEER", "Atlas Ocean", "Singapore", 13100},
		{imo(990402), "ATLAS VOYAGER", "Atlas Ocean", "Singapore", 11000},
		{imo(990501), "TIDEWATER BAY", "Tidewater Container", "United States", 5600},
		{imo(990502), "TIDEWATER SOUND", "Tidewater Container", "United States", 5600},
	}
}
