using System.Diagnostics;
using System.Runtime.Versioning;
using System.Text.RegularExpressions;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Demo;

/// <summary><c>./run --demo</c>, as a newcomer starts it.</summary>
[Trait("Category", "Slow")]
[SupportedOSPlatform("linux")]
public sealed class DemoTests : IDisposable
{
    /// <summary>Whatever is installed on this machine: these tests are about the demo.</summary>
    private static readonly string[] s_here = ["--stand-in", "--port", "0"];

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-demo-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Rounds_show_each_function_and_the_read_model_and_leave_no_process_and_a_folder_goes_on_where_it_was()
    {
        await using (var first = DemoProcess.Start([.. s_here, "--rounds", "2", "--folder", _folder]))
        {
            Assert.True(await first.WaitForExitAsync() == 0, first.Output);
            Assert.Contains("the stand-in host", first.Output, StringComparison.Ordinal);
            Assert.Contains(_folder, first.Output, StringComparison.Ordinal);
            // Each change is a message, and each message a run: three orders, then three more, a changed and a deleted one.
            Assert.Equal(3 + 5, Count(first.Output, "OrdersFromQueue succeeded"));
            Assert.Equal(2 * 4, Count(first.Output, "AccountsFromQueue succeeded"));
            Assert.Equal(2, Count(first.Output, "bank.large-withdrawal"));
            Assert.Contains("summaries/orders/1-3", first.Output, StringComparison.Ordinal);
            Assert.Contains("\"Balance\":140", first.Output, StringComparison.Ordinal);
            Assert.Equal(2, Count(first.Output, "The read model equals what was saved"));
            Assert.Contains("first result", first.Output, StringComparison.Ordinal);
            Assert.Empty(first.Living());
        }
        Assert.True(File.Exists(Path.Combine(_folder, "logs", "server.log")));

        await using var second = DemoProcess.Start([.. s_here, "--rounds", "1", "--folder", _folder]);
        Assert.True(await second.WaitForExitAsync() == 0, second.Output);
        Assert.Contains("Round 3", second.Output, StringComparison.Ordinal);
        Assert.Contains("\"Balance\":210", second.Output, StringComparison.Ordinal);
    }

    [BrokerTheory(BrokerKind.Azurite)]
    [InlineData("INT")]
    [InlineData("TERM")]
    [InlineData("KILL")]
    public async Task However_the_demo_ends_its_processes_end_too(string signal)
    {
        // Nobody removes the temporary folder of a demo that was killed.
        var isKilled = signal == "KILL";
        await using var demo = DemoProcess.Start([
            .. s_here,
            .. isKilled ? ["--folder", Path.Combine(_folder, "data")] : Array.Empty<string>(),
        ]);
        await demo.SaysAsync("The demo stays until Ctrl+C");
        await demo.SaysAsync("curl -X PUT");
        Assert.Contains(demo.Living(), command => command.Contains("Jackdaw.Server.dll", StringComparison.Ordinal));
        Assert.Contains(demo.Living(), command => command.Contains("azurite", StringComparison.Ordinal));
        Assert.Contains(demo.Living(), command => command.Contains("Jackdaw.Functions.CustomHandler", StringComparison.Ordinal));

        await demo.SignalAsync(signal);
        var exitCode = await demo.WaitForExitAsync();

        if (!isKilled)
        {
            Assert.True(exitCode == 0, demo.Output);
            Assert.Contains("All its processes have ended, and its data is removed", demo.Output, StringComparison.Ordinal);
            Assert.Empty(demo.Living());
            Assert.False(Directory.Exists(Regex.Match(demo.Output, @"data +(\S+) \(removed").Groups[1].Value), demo.Output);
        }
        else
            await Eventually.IsAsync(() => Task.FromResult(demo.Living().Count == 0));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_demo_ends_in_order_when_nobody_reads_its_output_any_more()
    {
        var temporary = Directory.CreateDirectory(Path.Combine(_folder, "temporary")).FullName;
        var environment = new Dictionary<string, string> { ["TMPDIR"] = temporary };
        await using var demo = DemoProcess.StartRead(20, environment, s_here);
        Assert.Equal(0, await demo.WaitForExitAsync());
        Assert.Empty(demo.Living());
        Assert.DoesNotContain(
            Directory.EnumerateDirectories(temporary),
            one => Path.GetFileName(one).Contains("demo", StringComparison.Ordinal)
        );
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_Core_Tools_run_the_functions_where_they_are_installed()
    {
        // Called as the Core Tools are; what runs the functions is the stand-in all the same.
        var standIn = Path.Combine(Repository.Root, "tests", "FunctionHost", "bin", "Release", "net10.0", "Jackdaw.FunctionHost.dll");
        var func = Path.Combine(_folder, "func");
        File.WriteAllText(func, $"#!/bin/sh\necho \"func was told: $*\"\nexec dotnet '{standIn}' --app \"$PWD\"\n");
        File.SetUnixFileMode(func, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        var data = Path.Combine(_folder, "data");
        await using var demo = DemoProcess.Start(
            new Dictionary<string, string> { ["PATH"] = $"{_folder}:{Environment.GetEnvironmentVariable("PATH")}" },
            "--port",
            "0",
            "--rounds",
            "1",
            "--folder",
            data
        );
        Assert.True(await demo.WaitForExitAsync() == 0, demo.Output);
        Assert.Contains($"the Azure Functions Core Tools ({func})", demo.Output, StringComparison.Ordinal);
        Assert.Contains(
            "func was told: start --port ",
            File.ReadAllText(Path.Combine(data, "logs", "functions.log")),
            StringComparison.Ordinal
        );
        Assert.Empty(demo.Living());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Functions_that_do_not_start_end_the_demo_with_what_they_said_and_where_the_logs_are()
    {
        var app = Directory.CreateDirectory(Path.Combine(_folder, "app")).FullName;
        File.WriteAllText(Path.Combine(app, "host.json"), "{ this is none }");
        foreach (var function in new[] { "OrdersFromQueue", "AccountsFromQueue" })
        {
            Directory.CreateDirectory(Path.Combine(app, function));
            File.WriteAllText(Path.Combine(app, function, "function.json"), """{"bindings":[{"type":"queueTrigger"}]}""");
        }
        await using var demo = DemoProcess.Start([.. s_here, "--rounds", "1", "--app", app, "--folder", Path.Combine(_folder, "data")]);
        Assert.Equal(1, await demo.WaitForExitAsync());
        Assert.Contains("The part 'functions' has ended. It said last:", demo.Output, StringComparison.Ordinal);
        Assert.Contains("host.json", demo.Output, StringComparison.Ordinal);
        Assert.Contains(Path.Combine(_folder, "data", "logs"), demo.Output, StringComparison.Ordinal);
        Assert.Empty(demo.Living());
    }

    [BrokerTheory(BrokerKind.Azurite)]
    [InlineData("'--round' is not known", "--round", "1")]
    [InlineData("--rounds needs a value", "--rounds")]
    [InlineData("--rounds takes a number from 1, not 'all'", "--rounds", "all")]
    [InlineData("--port takes a number from 0 to 65535, not '70000'", "--port", "70000")]
    [InlineData("it has no host.json", "--app", "/nowhere")]
    public async Task A_wrong_command_line_is_refused(string message, params string[] arguments)
    {
        await using var demo = DemoProcess.Start(arguments);
        Assert.Equal(2, await demo.WaitForExitAsync());
        Assert.Contains(message, demo.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_help_lists_every_option()
    {
        await using var demo = DemoProcess.Start("--help");
        Assert.Equal(0, await demo.WaitForExitAsync());
        foreach (var option in new[] { "--rounds N", "--folder FOLDER", "--port PORT", "--app FOLDER", "--stand-in" })
            Assert.Contains(option, demo.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_Node_a_sentence_says_what_to_install()
    {
        foreach (var tool in new[] { "bash", "dirname", "dotnet" })
            File.CreateSymbolicLink(Path.Combine(_folder, tool), await WhereAsync(tool));
        await using var demo = DemoProcess.Start(new Dictionary<string, string> { ["PATH"] = _folder }, "--rounds", "1");
        Assert.Equal(1, await demo.WaitForExitAsync());
        Assert.Contains("The demo needs Node 18 or newer with npm", demo.Output, StringComparison.Ordinal);
        Assert.Contains("apt-get install nodejs npm", demo.Output, StringComparison.Ordinal);
    }

    private static async Task<string> WhereAsync(string program)
    {
        using var found = Process.Start(new ProcessStartInfo("sh", ["-c", $"command -v {program}"]) { RedirectStandardOutput = true })!;
        return (await found.StandardOutput.ReadToEndAsync()).Trim();
    }

    private static int Count(string text, string part) => text.Split(part).Length - 1;
}
