using System.ComponentModel;
using System.Diagnostics;

namespace Jackdaw.Infrastructure.Processes;

/// <summary>A program that was run to its end.</summary>
/// <param name="ExitCode">Its exit code.</param>
/// <param name="Output">Its standard output.</param>
/// <param name="Errors">Its standard error.</param>
internal sealed record Command(int ExitCode, string Output, string Errors)
{
    /// <summary>Output and errors together, for a failure's message.</summary>
    public string All => Output + Errors;

    /// <summary>Runs a program to its end and fails the test when it does not end in time.</summary>
    public static async Task<Command> RunAsync(
        string program,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string>? environment = null,
        string? folder = null
    )
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            WorkingDirectory = folder ?? Checkout.Root,
        };
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        process.StandardInput.Close();
        var output = process.StandardOutput.ReadToEndAsync();
        var errors = process.StandardError.ReadToEndAsync();
        try
        {
            await process.WaitForExitAsync().WaitAsync(TimeSpan.FromMinutes(5));
        }
        catch (TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"{program} {string.Join(' ', arguments)} did not end.");
        }
        return new Command(process.ExitCode, await output, await errors);
    }

    /// <summary>Runs a program that must succeed; returns its standard output.</summary>
    public static async Task<string> MustAsync(
        string program,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string>? environment = null,
        string? folder = null
    )
    {
        var command = await RunAsync(program, arguments, environment, folder);
        Assert.True(command.ExitCode == 0, $"{program} {string.Join(' ', arguments)}: exit code {command.ExitCode}\n{command.All}");
        return command.Output;
    }

    /// <summary>True when a program of that name is installed.</summary>
    public static bool IsInstalled(string program)
    {
        try
        {
            using var process = Process.Start(
                new ProcessStartInfo(program, ["--version"]) { RedirectStandardOutput = true, RedirectStandardError = true }
            )!;
            process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return true;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }
}
