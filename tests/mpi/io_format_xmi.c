/* Tests the import of EMF models with their metamodel: expected graphs of samples, and messages of errors. */
#include "import_case.h"

#define ECORE                                                                                                        \
	"<?xml version=\"1.0\"?>\n<ecore:EPackage xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "             \
	"xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:ecore=\"http://www.eclipse.org/emf/2002/Ecore\" " \
	"name=\"railway\" nsURI=\"http://railway\" nsPrefix=\"railway\">\n"
#define CLASS(name, more) "<eClassifiers xsi:type=\"ecore:EClass\" name=\"" name "\" " more ">\n"
#define END "</eClassifiers>\n"
#define TYPE(name) "eType=\"ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//" name "\" "
#define ATTRIBUTE(name, more) "<eStructuralFeatures xsi:type=\"ecore:EAttribute\" name=\"" name "\" " more "/>\n"
#define REFERENCE(name, class, more) \
	"<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"" name "\" eType=\"#//" class "\" " more "/>\n"
#define MANY "upperBound=\"-1\" "
#define CONTAINED MANY "containment=\"true\" "
#define OPPOSITE(feature) "eOpposite=\"#//" feature "\" "
#define ENUM(name) "<eClassifiers xsi:type=\"ecore:EEnum\" name=\"" name "\">\n"
#define LITERAL(name) "<eLiterals name=\"" name "\"/>\n"
#define PACKAGE_END "</ecore:EPackage>\n"

static const char railway[] = ECORE CLASS("Element", "abstract=\"true\"") ATTRIBUTE("name", TYPE("EString")) END CLASS(
	"Railway", "") REFERENCE("regions", "Region", CONTAINED) REFERENCE("routes", "Route", CONTAINED)
	END CLASS("Region", "eSuperTypes=\"#//Element\"") REFERENCE("sensors", "Sensor", CONTAINED) REFERENCE(
		"elements", "TrackElement", CONTAINED OPPOSITE("TrackElement/region"))
		END CLASS("Route", "eSuperTypes=\"#//Element\"") ATTRIBUTE("active", TYPE("EBoolean")) REFERENCE(
			"follows", "SwitchPosition", CONTAINED OPPOSITE("SwitchPosition/route")) REFERENCE("entry", "Semaphore", "")
			REFERENCE("definedBy", "Sensor", MANY) END CLASS("Sensor", "eSuperTypes=\"#//Element\"")
				REFERENCE("monitors", "TrackElement", MANY OPPOSITE("TrackElement/sensor"))
					END CLASS("TrackElement", "abstract=\"true\" eSuperTypes=\"#//Element\"") REFERENCE(
						"region", "Region",
						OPPOSITE("Region/elements")) REFERENCE("sensor", "Sensor", OPPOSITE("Sensor/monitors"))
						REFERENCE("connectsTo", "TrackElement", MANY "ordered=\"false\"")
							END CLASS("Segment", "eSuperTypes=\"#//TrackElement\"") ATTRIBUTE("length", TYPE("EInt"))
								ATTRIBUTE("speed", TYPE("EDouble") "defaultValueLiteral=\"80.5\"") ATTRIBUTE(
									"gauge", TYPE("EIntegerObject")) REFERENCE("semaphores", "Semaphore", CONTAINED)
									END CLASS("Switch", "eSuperTypes=\"#//TrackElement\"")
										ATTRIBUTE("position", "eType=\"#//Position\"") END CLASS("SwitchPosition", "")
											REFERENCE("route", "Route", OPPOSITE("Route/follows"))
												REFERENCE("target", "Switch", "") ATTRIBUTE(
													"position", "eType=\"#//Position\" defaultValueLiteral=\"RIGHT\"")
													END CLASS("Semaphore", "")
														ATTRIBUTE("signal", "eType=\"#//Signal\"") END ENUM("Position")
															LITERAL("FAILURE") LITERAL("LEFT") LITERAL("RIGHT")
																END ENUM("Signal") LITERAL("FAILURE") LITERAL("STOP")
																	LITERAL("GO") END PACKAGE_END;

#define SPACES                                                  \
	"xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" " \
	"xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:railway=\"http://railway\""
#define HEAD "<?xml version=\"1.0\"?>\n<railway:Railway " SPACES ">\n"
#define TAIL "</railway:Railway>\n"

static gemp_import_options *model(file_case *self, const char *metamodel, const char *text)
{
	gemp_import_options *options = one_file(self, "xmi", "model.xmi", text);
	options->metamodel = write_text_file("model.ecore", metamodel);
	return options;
}

static void references_by_position(void **state)
{
	(void)state;
	file_case file;
	expect_graph(
		model(&file, railway,
	          HEAD "<regions name=\"north\">\n"
	               "<sensors name=\"s\" monitors=\"//@regions.0/@elements.0 #//@regions.0/@elements.1\"/>\n"
	               "<elements xsi:type=\"railway:Segment\" sensor=\"/0/@regions.0/@sensors.0\" length=\"-5\"\n"
	               " connectsTo=\"//@regions.0/@elements.1\"><semaphores signal=\"GO\"/></elements>\n"
	               "<elements xsi:type=\"railway:Switch\" position=\"LEFT\">\n"
	               "<sensor href=\"#//@regions.0/@sensors.0\"/></elements>\n"
	               "<elements xsi:type=\"railway:Segment\" speed=\"7\"><name>a &lt; b</name></elements>\n</regions>\n"
	               "<routes active=\"true\" entry=\"//@regions.0/@elements.0/@semaphores.0\">\n"
	               "<follows target=\"//@regions.0/@elements.1\"/></routes>\n" TAIL),
		"/ Railway\n"
		"//@regions.0 Element;Region name:s=north\n"
		"//@regions.0/@elements.0 Element;Segment;TrackElement length:i=-5 speed:f=80.5\n"
		"//@regions.0/@elements.0/@semaphores.0 Semaphore signal:s=GO\n"
		"//@regions.0/@elements.1 Element;Switch;TrackElement position:s=LEFT\n"
		"//@regions.0/@elements.2 Element;Segment;TrackElement name:s=a < b length:i=0 speed:f=7.0\n"
		"//@regions.0/@sensors.0 Element;Sensor name:s=s\n"
		"//@routes.0 Element;Route active:b=true\n"
		"//@routes.0/@follows.0 SwitchPosition position:s=RIGHT\n"
		"/-regions->//@regions.0 order:i=0\n"
		"/-routes->//@routes.0 order:i=0\n"
		"//@regions.0-elements->//@regions.0/@elements.0 order:i=0\n"
		"//@regions.0-elements->//@regions.0/@elements.1 order:i=1\n"
		"//@regions.0-elements->//@regions.0/@elements.2 order:i=2\n"
		"//@regions.0-sensors->//@regions.0/@sensors.0 order:i=0\n"
		"//@regions.0/@elements.0-connectsTo->//@regions.0/@elements.1\n"
		"//@regions.0/@elements.0-region->//@regions.0\n"
		"//@regions.0/@elements.0-semaphores->//@regions.0/@elements.0/@semaphores.0 order:i=0\n"
		"//@regions.0/@elements.0-sensor->//@regions.0/@sensors.0\n"
		"//@regions.0/@elements.1-region->//@regions.0\n"
		"//@regions.0/@elements.1-sensor->//@regions.0/@sensors.0\n"
		"//@regions.0/@elements.2-region->//@regions.0\n"
		"//@regions.0/@sensors.0-monitors->//@regions.0/@elements.0 order:i=0\n"
		"//@regions.0/@sensors.0-monitors->//@regions.0/@elements.1 order:i=1\n"
		"//@routes.0-entry->//@regions.0/@elements.0/@semaphores.0\n"
		"//@routes.0-follows->//@routes.0/@follows.0 order:i=0\n"
		"//@routes.0/@follows.0-route->//@routes.0\n"
		"//@routes.0/@follows.0-target->//@regions.0/@elements.1\n");
}

/* The model has several top-level objects, a reference stored at one of two opposite ends, a reference by position to
 * an object that has an id, and an extension of a tool. */
static void references_by_id(void **state)
{
	(void)state;
	file_case file;
	expect_graph(
		model(&file, railway,
	          "<xmi:XMI " SPACES ">\n"
	          "<railway:Sensor xmi:id=\"7\" monitors=\"a\"/>\n"
	          "<railway:Switch xmi:uuid=\"a\" name=\"x\"><xmi:Extension><deep/></xmi:Extension></railway:Switch>\n"
	          "<railway:Route definedBy=\"7\" active=\"false\"><follows target=\"/1\"/></railway:Route>\n</xmi:XMI>\n"),
		"/2 Element;Route active:b=false\n/2/@follows.0 SwitchPosition position:s=RIGHT\n7 Element;Sensor\n"
		"a Element;Switch;TrackElement name:s=x position:s=FAILURE\n"
		"/2-definedBy->7 order:i=0\n/2-follows->/2/@follows.0 order:i=0\n/2/@follows.0-route->/2\n"
		"/2/@follows.0-target->a\n7-monitors->a order:i=0\na-sensor->7\n");
}

static void an_attribute_may_be_the_id(void **state)
{
	(void)state;
	file_case file;
	expect_graph(model(&file,
	                   ECORE CLASS("A", "") ATTRIBUTE("id", TYPE("EInt") "iD=\"true\"") REFERENCE("next", "A", "")
	                       REFERENCE("part", "A", "containment=\"true\"")
	                           ATTRIBUTE("old", TYPE("EInt") "derived=\"true\"") ATTRIBUTE("tags", TYPE("EString") MANY)
	                               END PACKAGE_END,
	                   "<r:A xmlns:r=\"http://railway\" id=\"3\" next=\"5\"><part id=\"5\" next=\"//@part/@part\">"
	                   "<part/></part>"
	                   "<tags>one</tags></r:A>"),
	             "//@part/@part A id:i=0\n3 A id:i=3 tags:s=one\n5 A id:i=5\n"
	             "3-next->5\n3-part->5\n5-next->//@part/@part\n5-part->//@part/@part\n");
}

static void invalid_models_are_rejected(void **state)
{
	(void)state;
	static const bad_text bad[] = {
		{ "x", ":1: ", "syntax error" },
		{ HEAD "<regions>", ":3: ", "whole" },
		{ "<!DOCTYPE a [\n<!ENTITY a \"b\">]><a/>", ":2: ", "entity" },
		{ "\n<Train/>", ":2: ", "no class 'Train'" },
		{ "<r:Railway xmlns:r=\"http://other\"/>", ":1: ", "namespace http://other" },
		{ HEAD "\n<trains/>" TAIL, ":4: ", "Railway has no 'trains'" },
		{ HEAD "<regions\n><sensors x=\"1\"/></regions>" TAIL, ":4: ", "Sensor has no 'x'" },
		{ HEAD "<regions>\n<elements/></regions>" TAIL, ":4: ", "TrackElement is abstract" },
		{ HEAD "<regions>\n<elements xsi:type=\"no:Segment\"/></regions>" TAIL, ":4: ", "xmlns:no" },
		{ HEAD "<regions>\n<elements xsi:type=\"railway:No\"/></regions>" TAIL, ":4: ", "no class 'No'" },
		{ HEAD "<regions>\n<elements xsi:type=\"railway:Segment\" length=\"x\"/></regions>" TAIL,
		  ":4: ", "'length': 'x'" },
		{ HEAD "<regions>\n<elements xsi:type=\"railway:Switch\" position=\"UP\"/></regions>" TAIL,
		  ":4: ", "'UP' is no literal" },
		{ HEAD "<regions name=\"a\">\n<name>b</name></regions>" TAIL, ":4: ", "'name' has several values" },
		{ HEAD "<regions>\n<name><b/></name></regions>" TAIL, ":4: ", "inside the value" },
		{ HEAD "<regions\n href=\"other.xmi#/\"/>" TAIL, ":3: ", "another file" },
		{ HEAD "\n<routes definedBy=\"other.xmi#//@x\"/>" TAIL, ":4: ", "another file" },
		{ HEAD "<routes>\n<definedBy xsi:type=\"railway:Sensor\" href=\"other.xmi#//@x\"/></routes>" TAIL,
		  ":4: ", "another file" },
		{ HEAD "<routes>\n<definedBy/></routes>" TAIL, ":4: ", "neither href" },
		{ HEAD "\n<routes definedBy=\"//@regions[name='a']\"/>" TAIL, ":4: ", "eKeys" },
		{ HEAD "\n<routes definedBy=\"//@regions.7\"/>" TAIL, ":4: ", "//@regions.7" },
		{ HEAD "\n<routes entry=\"a b\"/>" TAIL, ":4: ", "several targets" },
		{ HEAD "\n<routes follows=\"a\"/>" TAIL, ":4: ", "must be elements" },
		{ HEAD "<routes xmi:id=\"1\"/>\n<routes xmi:id=\"1\"/>" TAIL, ":4", "1" },
		{ HEAD "\n<routes xmi:id=\"\"/>" TAIL, ":4: ", "id is empty" },
		{ HEAD "<regions><sensors xmi:id=\"s\" monitors=\"a b\"/><elements xsi:type=\"railway:Switch\" xmi:id=\"a\" "
		       "sensor=\"s\"/>"
		       "<elements xsi:type=\"railway:Switch\" xmi:id=\"b\"/></regions>" TAIL,
		  ": ", "opposites" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file_case file;
		expect_error(model(&file, railway, bad[i].text), "model.xmi", &bad[i]);
	}
}

static void invalid_metamodels_are_rejected(void **state)
{
	(void)state;
	static const bad_text bad[] = {
		{ "<a/>", ":1: ", "no ecore:EPackage" },
		{ ECORE PACKAGE_END, ": ", "no eClassifiers" },
		{ ECORE "<eClassifiers xsi:type=\"ecore:EClass\"/>" PACKAGE_END, ":3: ", "no name" },
		{ ECORE "<eClassifiers xsi:type=\"ecore:EThing\" name=\"A\"/>" PACKAGE_END, ":3: ", "'EThing'" },
		{ ECORE CLASS("A", "") "<eStructuralFeatures name=\"b\"/>" END PACKAGE_END, ":4: ", "'b' is of the kind ''" },
		{ ECORE CLASS("A", "eSuperTypes=\"#//B\"") END PACKAGE_END, ":3: ", "'#//B', which class A" },
		{ ECORE CLASS("A", "eSuperTypes=\"b.ecore#//B\"") END PACKAGE_END, ":3: ", "another file" },
		{ ECORE CLASS("A", "eSuperTypes=\"#//B\"") END CLASS("B", "eSuperTypes=\"#//A\"") END PACKAGE_END,
		  ":3: ", "inherits from itself" },
		{ ECORE CLASS("A", "") REFERENCE("b", "B", "") END PACKAGE_END, ":4: ", "'#//B', the type of reference 'b'" },
		{ ECORE CLASS("A", "") ATTRIBUTE("b", "eType=\"#//A\"") END PACKAGE_END,
		  ":4: ", "'#//A', the type of attribute 'b'" },
		{ ECORE CLASS("A", "") ATTRIBUTE("b", "eType=\"A\"") END PACKAGE_END, ":4: ", "'A' is no reference" },
		{ ECORE CLASS("A", "") REFERENCE("b", "A", OPPOSITE("A/c")) END PACKAGE_END,
		  ":4: ", "'#//A/c' is not in the file" },
		{ ECORE CLASS("A", "") ATTRIBUTE("b", TYPE("EInt") "defaultValueLiteral=\"x\"") END PACKAGE_END,
		  ":4: ", "default of 'b': 'x'" },
		{ ECORE CLASS("A", "") ATTRIBUTE("b", "eType=\"#//E\" defaultValueLiteral=\"x\"") END ENUM("E") LITERAL("y")
		      END PACKAGE_END,
		  ":4: ", "no literal of the enum E" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file_case file;
		expect_error(model(&file, bad[i].text, HEAD TAIL), "model.ecore", &bad[i]);
	}
}

static void models_need_their_metamodel(void **state)
{
	(void)state;
	file_case file;
	gemp_import_options *options = one_file(&file, "xmi", "model.xmi", HEAD TAIL);
	expect_failure(options, GEMP_EUSAGE, PARTS("format xmi", "metamodel"));
	options->metamodel = "nowhere.ecore";
	expect_failure(options, GEMP_ENOINPUT, PARTS("nowhere.ecore"));
	options = one_file(&file, "adjacency", "a.adj", "a -> b\n");
	options->metamodel = "nowhere.ecore";
	expect_failure(options, GEMP_EUSAGE, PARTS("metamodel is for format xmi"));
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(model(
		&file,
		ECORE CLASS("B", "") ATTRIBUTE("n", TYPE("EInt")) END CLASS("A", "eSuperTypes=\"#//B\"")
			REFERENCE("p", "A", CONTAINED) REFERENCE("q", "A", "") END PACKAGE_END,
		"<r:A xmlns:r=\"http://railway\" xmlns:xmi=\"http://www.omg.org/XMI\" xmi:id=\"x\" n=\"1\"><p q=\"/\"/></r:A>"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_by_position),
		cmocka_unit_test(references_by_id),
		cmocka_unit_test(an_attribute_may_be_the_id),
		cmocka_unit_test(invalid_models_are_rejected),
		cmocka_unit_test(invalid_metamodels_are_rejected),
		cmocka_unit_test(models_need_their_metamodel),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
