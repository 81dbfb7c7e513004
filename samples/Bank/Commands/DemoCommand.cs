using System.Diagnostics;

namespace Bank.Commands;

/// <summary>Everything in one go: transfers that are killed in the middle and started again, the audit, and the projection.</summary>
internal sealed class DemoCommand(string url, string listenOn, int transfers)
{
    private static readonly TimeSpan UntilProjected = TimeSpan.FromMinutes(5);

    public async Task<int> RunAsync()
    {
        using var projection = Start("project");
        try
        {
            using (var first = Start("drive"))
            {
                await WaitForHalfAsync(first);
                first.Kill();
                await first.WaitForExitAsync();
            }
            Console.WriteLine("Killed in the middle.");
            Console.WriteLine();
            await new AuditCommand(url).RunAsync();
            Console.WriteLine();
            Console.WriteLine("Started again.");
            using (var second = Start("drive"))
                await EchoAsync(second);
            await WaitForProjectionAsync();
            Console.WriteLine();
            return await new AuditCommand(url).RunAsync();
        }
        finally
        {
            projection.Kill();
            await projection.WaitForExitAsync();
        }
    }

    private Process Start(string command)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList =
            {
                typeof(DemoCommand).Assembly.Location,
                command,
                "--url",
                url,
                "--listen",
                listenOn,
                "--transfers",
                $"{transfers}",
            },
            RedirectStandardOutput = command == "drive",
        };
        return Process.Start(start)!;
    }

    private async Task WaitForHalfAsync(Process driver)
    {
        while (await driver.StandardOutput.ReadLineAsync() is { } line)
        {
            Console.WriteLine(line);
            if (int.TryParse(line.Split(' ')[0].Replace(",", "", StringComparison.Ordinal), out var ended) && ended > transfers / 3)
                return;
        }
    }

    private static async Task EchoAsync(Process driver)
    {
        while (await driver.StandardOutput.ReadLineAsync() is { } line)
            Console.WriteLine(line);
        await driver.WaitForExitAsync();
    }

    private async Task WaitForProjectionAsync()
    {
        using var client = new HttpClient();
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < UntilProjected)
        {
            var status = await client.GetStringAsync($"{url}/databases/{BankSystem.Database}/etl/status");
            if (status.Contains("\"EtagsBehind\":0", StringComparison.Ordinal))
                return;
            await Task.Delay(TimeSpan.FromSeconds(1));
        }
    }
}
