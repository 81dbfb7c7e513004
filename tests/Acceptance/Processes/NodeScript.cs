using System.Diagnostics;

namespace Jackdaw.Acceptance.Processes;

/// <summary>A script of the folder node/, which drives a server with the official client.</summary>
internal static class NodeScript
{
    /// <summary>Runs it to its end; fails the test with its output when it does not end well in time. Gives its standard output.</summary>
    public static async Task<string> RunAsync(
        string script,
        string url,
        TimeSpan timeout,
        IReadOnlyDictionary<string, string>? environment = null,
        params string[] arguments
    )
    {
        using var process = Start(script, url, environment, arguments);
        var output = process.StandardOutput.ReadToEndAsync();
        var errors = process.StandardError.ReadToEndAsync();
        try
        {
            await process.WaitForExitAsync().WaitAsync(timeout);
        }
        catch (TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"{script} did not end within {timeout}:\n{await output}\n{await errors}");
        }
        Assert.True(process.ExitCode == 0, $"{script} failed:\n{await output}\n{await errors}");
        return await output;
    }

    public static Process Start(
        string script,
        string url,
        IReadOnlyDictionary<string, string>? environment = null,
        params string[] arguments
    )
    {
        Assert.True(
            Directory.Exists(Path.Combine(Repository.NodeScripts, "node_modules", "ravendb")),
            "Run eng/test-prerequisites first: the npm packages are missing."
        );
        var start = new ProcessStartInfo("node")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Repository.NodeScripts,
        };
        start.ArgumentList.Add(script);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        start.Environment["JACKDAW_URL"] = url;
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        return Process.Start(start)!;
    }
}
