using Bank.Commands;

string Option(string name, string usual) => Array.IndexOf(args, name) is var at and >= 0 && at + 1 < args.Length ? args[at + 1] : usual;

var url = Option("--url", "http://127.0.0.1:8080");
var listenOn = Option("--listen", "http://127.0.0.1:8090");
var transfers = int.Parse(Option("--transfers", "10000"));
return args.FirstOrDefault() switch
{
    "drive" => await new DriveCommand(url, transfers).RunAsync(),
    "audit" => await new AuditCommand(url).RunAsync(),
    "project" => await new ProjectCommand(url, listenOn).RunAsync(),
    "demo" => await new DemoCommand(url, listenOn, transfers).RunAsync(),
    _ => Usage(),
};

static int Usage()
{
    Console.WriteLine("bank drive | audit | project | demo  [--url URL] [--listen URL] [--transfers N]");
    return 2;
}
