using System.Diagnostics;

namespace Jackdaw.Bench.Peers;

/// <summary>Finds and runs programs of the operating system.</summary>
internal static class Programs
{
    /// <summary>The full path of a program on the PATH or in one of the further folders, or null.</summary>
    public static string? Find(string name, params string[] folders) =>
        folders
            .Concat((Environment.GetEnvironmentVariable("PATH") ?? "").Split(':', StringSplitOptions.RemoveEmptyEntries))
            .Select(f => Path.Combine(f, name))
            .FirstOrDefault(File.Exists);

    /// <summary>Runs to the end and gives standard output.</summary>
    /// <param name="program">The program's path.</param>
    /// <param name="arguments">Its arguments, as they are.</param>
    /// <param name="cancel">Kills the program.</param>
    /// <param name="input">Writes standard input, which is closed afterwards.</param>
    /// <exception cref="IOException">It ended with another exit code than 0; the message has what it printed.</exception>
    public static async Task<string> RunAsync(
        string program,
        IEnumerable<string> arguments,
        CancellationToken cancel,
        Func<Stream, Task>? input = null
    )
    {
        using Process process = Process.Start(
            new ProcessStartInfo(program, arguments)
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                WorkingDirectory = "/",
            }
        )!;
        await using CancellationTokenRegistration registration = cancel.Register(() => process.Kill(entireProcessTree: true));
        Task<string> output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        Task<string> errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        Exception? inputFailure = null;
        try
        {
            if (input is not null)
                await input(process.StandardInput.BaseStream);
            process.StandardInput.Close();
        }
        catch (IOException brokenPipe)
        {
            inputFailure = brokenPipe; // the program ended early; its own words, below, say why
        }
        await process.WaitForExitAsync(CancellationToken.None);
        cancel.ThrowIfCancellationRequested();
        if (process.ExitCode != 0)
            throw new IOException($"{program} ended with {process.ExitCode}: {await errors}{await output}", inputFailure);
        return inputFailure is null
            ? await output
            : throw new IOException($"{program} did not read its input: {await errors}", inputFailure);
    }
}
