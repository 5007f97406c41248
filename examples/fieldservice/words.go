package fieldservice

// This file holds names and texts. Cities and people keep their own spelling, so that a
// question without accents meets data with accents.

var regions = []struct{ code, name string }{{"N", "North"}, {"S", "South"}, {"E", "East"}, {"W", "West"}}

// Region ids, in the order above.
const (
	north = iota + 1
	south
	east
	west
)

type city struct {
	city   string
	region int
}

var branchCities = []city{{"Malmö", north}, {"Tampere", north}, {"Porto", south}, {"Łódź", east}, {"Köln", west}, {"Liège", west}}

// headOffice is the index of Köln in branchCities.
const headOffice = 4

var siteCities = []city{
	{"Malmö", north}, {"Göteborg", north}, {"Tampere", north}, {"Tromsø", north},
	{"Porto", south}, {"Málaga", south}, {"Napoli", south},
	{"Łódź", east}, {"Brno", east}, {"Győr", east}, {"Iași", east},
	{"Köln", west}, {"Liège", west}, {"Cork", west}, {"Nantes", west},
}

var firstNames = []string{
	"Astrid", "Björn", "Chiara", "Dariusz", "Elif", "Fionn", "Greta", "Håkon", "Inês", "Jürgen", "Katarzyna", "Luís",
	"Maëlle", "Nils", "Oana", "Pekka", "Quentin", "Rosa", "Søren", "Tereza", "Ulla", "Vítor", "Wiebke", "Zoltán",
}

var lastNames = []string{
	"Almeida", "Bergström", "Černý", "Dubois", "Eriksson", "Ferreira", "García", "Horváth", "Ionescu", "Jokinen",
	"Kowalska", "Lindqvist", "Müller", "Novák", "O'Brien", "Pereira", "Rossi", "Schröder", "Tóth", "Virtanen",
	"Wójcik", "Yıldız", "Åkesson",
}

// personName returns name n of 552 different names: the lengths of the lists have no
// common factor.
func personName(n int) (first, last string) {
	return firstNames[n*7%len(firstNames)], lastNames[n*5%len(lastNames)]
}

var skills = []struct {
	name, group string
	licence     bool
}{
	{"High voltage", "Electrical", true}, {"Refrigerants", "Cooling", true}, {"Gas burners", "Heating", true},
	{"Hydraulics", "Mechanical", false}, {"Lift safety", "Mechanical", true}, {"Controls", "Electrical", false},
	{"Water treatment", "Plumbing", false}, {"Welding", "Mechanical", true},
}

var vans = []struct{ make, model string }{
	{"Volkswagen", "Transporter"}, {"Renault", "Master"}, {"Ford", "Transit"}, {"Mercedes-Benz", "Sprinter"},
}

var clientNames = []struct{ name, industry string }{
	{"Malmö Harbour Logistics", "Logistics"}, {"Hotel Aurora", "Hospitality"}, {"Bäckerei Sonnenkorn", "Food"},
	{"Nordlys Hospital", "Healthcare"}, {"Clínica Santa Rita", "Healthcare"}, {"Iași Data Centre", "Technology"},
	{"Vino d'Oro", "Food"}, {"Köln Arena", "Leisure"}, {"Liège Steel Works", "Manufacturing"},
	{"Papierfabrik Weiß", "Manufacturing"}, {"Győr Motors", "Manufacturing"}, {"Tampere Textiles", "Manufacturing"},
	{"Porto Cold Storage", "Logistics"}, {"Cork Creamery", "Food"}, {"Nantes Aquarium", "Leisure"},
	{"Brno Public Library", "Public sector"}, {"Łódź Film School", "Education"}, {"Göteborg Ferries", "Logistics"},
	{"Pastelería Luna", "Food"}, {"Schröder & Söhne", "Retail"}, {"Rossi Supermercati", "Retail"},
	{"Kauppahalli Oy", "Retail"}, {"Tromsø Fish Market", "Food"}, {"Universität am Rhein", "Education"},
	{"Hotel Miramar", "Hospitality"}, {"Dom Seniora", "Healthcare"}, {"Blue Harbour Offices", "Real estate"},
	{"Quartier Saint-Paul", "Real estate"}, {"Silver Birch Clinic", "Healthcare"}, {"O'Brien Distillery", "Food"},
	{"Skyline Apartments", "Real estate"}, {"Fjord Energy", "Utilities"}, {"Vodárna Morava", "Utilities"},
	{"Café Zeitgeist", "Hospitality"}, {"Stadtwerke Nord", "Utilities"}, {"Delta Pharma", "Manufacturing"},
}

var positions = []string{"Facility manager", "Caretaker", "Head of purchasing", "Office manager", "Site engineer"}

var siteNames = []string{"Head office", "North wing", "Warehouse", "Production hall", "Annex"}

var roomNames = []string{"Plant room", "Roof", "Basement", "Server room", "Kitchen", "Loading bay"}

var manufacturers = []struct{ name, country string }{
	{"Nordklima", "Sweden"}, {"Thermion", "Germany"}, {"Élévateurs Duval", "France"}, {"AquaPura", "Italy"}, {"Voltaris", "Czechia"},
}

// The models have the index of their manufacturer.
var equipmentModels = []struct {
	name, kind   string
	manufacturer int
}{
	{"Polar 200", "Chiller", 0}, {"Polar 450", "Chiller", 0}, {"Brenner S", "Boiler", 1}, {"Brenner XL", "Boiler", 1},
	{"Ascenseur D4", "Lift", 2}, {"Ascenseur D8", "Lift", 2}, {"Pura 10", "Water softener", 3},
	{"Switch 400", "Switchboard", 4}, {"Reserve 60", "Generator", 4},
}

type taskText struct {
	title string
	kind  int // workOrderType.id
}

var tasks = []taskText{
	{"Yearly service", 1}, {"Filter change", 1}, {"Lubrication and adjustment", 1}, {"Leak repair", 2},
	{"No heating", 2}, {"Lift stuck between floors", 2}, {"Control board replacement", 2}, {"Unusual noise", 2},
	{"New unit installation", 3}, {"Extension of the switchboard", 3}, {"Safety inspection", 4}, {"Acceptance inspection", 4},
}

var remarks = []string{"waited for access", "second visit needed", "part collected on the way", "customer present", "worked with the site engineer"}

var comments = []string{"Quick and friendly.", "Très bien, merci!", "Came a day late.", "Left the plant room tidy.", "Wir sind zufrieden.", "Had to call twice."}

var templates = []struct {
	name      string
	questions []string
}{
	{"Electrical safety", []string{
		"Are all covers closed and locked?", "Is the earthing measured and within limits?", "Are the breakers labelled?",
		"Does the residual current device trip?", "Is the single-line diagram on site?", "Is the emergency stop reachable?"}},
	{"Refrigeration", []string{
		"Is the circuit free of leaks?", "Is the refrigerant log up to date?", "Are the condenser fins clean?",
		"Does the high-pressure switch work?", "Is the insulation undamaged?"}},
	{"Lift", []string{
		"Does the emergency call reach the control centre?", "Do the doors reverse on contact?", "Is the pit dry and clean?",
		"Are the ropes within wear limits?", "Does the car level within 10 mm?", "Is the lighting complete?"}},
	{"Boiler", []string{
		"Does the safety valve open?", "Is the flue gas within limits?", "Is the water pressure correct?", "Is the plant room ventilated?"}},
}

var suppliers = []struct{ name, country string }{
	{"Kältetechnik Meier", "Germany"}, {"Peças & Cia", "Portugal"}, {"Elektro Dąbrowski", "Poland"},
	{"Nordic Spares", "Sweden"}, {"Duval Pièces", "France"}, {"Morava Metal", "Czechia"},
}

// The categories have the index of their parent; -1 is none.
var partCategories = []struct {
	name   string
	parent int
}{
	{"Electrical", -1}, {"Mechanical", -1}, {"Consumables", -1}, {"Sensors", 0}, {"Breakers", 0}, {"Pumps", 1},
	{"Bearings", 1}, {"Filters", 2}, {"Lubricants", 2},
}

// The parts have the index of their category.
var partNames = []struct {
	name     string
	category int
	price    hundredths
}{
	{"Temperature sensor", 3, 1850}, {"Pressure sensor", 3, 4290}, {"Flow sensor", 3, 8875}, {"Door contact", 3, 1240},
	{"Breaker 16 A", 4, 960}, {"Breaker 63 A", 4, 5430}, {"Residual current device", 4, 6715}, {"Main switch", 4, 18990},
	{"Circulation pump", 5, 24900}, {"Feed pump", 5, 51250}, {"Condensate pump", 5, 13680},
	{"Ball bearing 6204", 6, 735}, {"Ball bearing 6308", 6, 2160}, {"Rope sheave", 6, 39900},
	{"Air filter G4", 7, 1425}, {"Air filter F7", 7, 3390}, {"Oil filter", 7, 1980}, {"Water filter", 7, 2765},
	{"Compressor oil 5 l", 8, 5480}, {"Rope grease", 8, 1195}, {"Fuse set", 0, 880}, {"Control board", 0, 31450},
	{"Contactor", 0, 4120}, {"Drive belt", 1, 2290},
}
