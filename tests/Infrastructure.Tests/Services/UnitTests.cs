using System.Globalization;
using System.Text.RegularExpressions;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Services;

/// <summary>The unit of systemd, judged by systemd's own tool.</summary>
public sealed partial class UnitTests
{
    /// <summary>systemd calls up to 2 "ok"; an unprotected service has 9.6.</summary>
    private const double MostExposed = 2.0;

    [ProgramFact("systemd-analyze")]
    public async Task The_unit_is_valid()
    {
        using var folder = new Folder();
        var check = await VerifyAsync(folder);
        Assert.True(check.ExitCode == 0 && check.All.Trim().Length == 0, check.All);
    }

    [ProgramFact("systemd-analyze")]
    public async Task A_misspelt_directive_is_found()
    {
        using var folder = new Folder();
        var check = await VerifyAsync(folder, unit => unit.Replace("ProtectHome=", "ProtectHomes=", StringComparison.Ordinal));
        Assert.Contains("ProtectHomes", check.All, StringComparison.Ordinal);
    }

    [ProgramFact("systemd-analyze")]
    public async Task The_service_is_hardened()
    {
        var hardened = await ExposureAsync(unit => unit);
        Assert.True(hardened <= MostExposed, $"The service's exposure is {hardened}; at most {MostExposed} is wanted.");
        var opened = await ExposureAsync(unit => unit.Replace("SystemCallFilter=@system-service", "", StringComparison.Ordinal));
        Assert.True(opened > MostExposed, $"Without the filter of system calls the exposure is {opened}.");
    }

    [ProgramFact("systemd-analyze")]
    public async Task The_units_that_fetch_the_certificate_are_valid()
    {
        using var folder = new Folder();
        foreach (var unit in new[] { "jackdaw-certificate.service", "jackdaw-certificate.timer" })
        {
            var text = await File.ReadAllTextAsync(Checkout.At("infra", "systemd", unit));
            await File.WriteAllTextAsync(
                folder.At(unit),
                text.Replace("/usr/local/sbin/jackdaw-certificate", "/bin/true", StringComparison.Ordinal)
            );
        }
        var check = await Command.RunAsync(
            "systemd-analyze",
            ["verify", folder.At("jackdaw-certificate.service"), folder.At("jackdaw-certificate.timer")]
        );
        Assert.True(check.ExitCode == 0 && check.All.Trim().Length == 0, check.All);
    }

    private static async Task<Command> VerifyAsync(Folder folder, Func<string, string>? change = null)
    {
        // systemd looks whether the program is there and executable.
        var text = await File.ReadAllTextAsync(Checkout.At("infra", "systemd", "jackdaw.service"));
        text = text.Replace("/opt/jackdaw/current/Jackdaw.Server", "/bin/true", StringComparison.Ordinal);
        var unit = folder.At("jackdaw.service");
        await File.WriteAllTextAsync(unit, change?.Invoke(text) ?? text);
        return await Command.RunAsync("systemd-analyze", ["verify", unit]);
    }

    private static async Task<double> ExposureAsync(Func<string, string> change)
    {
        using var folder = new Folder();
        var unit = folder.At("jackdaw.service");
        await File.WriteAllTextAsync(unit, change(await File.ReadAllTextAsync(Checkout.At("infra", "systemd", "jackdaw.service"))));
        var told = await Command.RunAsync("systemd-analyze", ["security", "--offline=true", "--no-pager", unit]);
        var level = OverallLevel().Match(told.Output);
        Assert.True(level.Success, told.All);
        return double.Parse(level.Groups[1].Value, CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(@"Overall exposure level for \S+: ([0-9.]+)")]
    private static partial Regex OverallLevel();
}
