using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Audit;

/// <summary>
/// The audit log of commands that change a stopped server's data folder: lines in the server's own files. Without
/// <c>Security.AuditLog.FolderPath</c> there is no file of the server's, and the lines go to the folder <c>Audit</c> of the data folder.
/// The file is opened before the act, which is not begun when its line could not be written.
/// </summary>
internal static class CommandAudit
{
    /// <summary>The folder of the data folder that has the lines when no setting names one.</summary>
    public const string Folder = "Audit";

    /// <summary>Carries out an act, and tells of it, also when it fails: it may be done all the same, or in part.</summary>
    /// <param name="configuration">Names the folder.</param>
    /// <param name="command">The command's words, without options.</param>
    /// <param name="subject">What it changes.</param>
    /// <param name="act">Returns why it was not carried out as a whole; null when it was.</param>
    /// <exception cref="IOException">The file cannot be written; nothing was changed, unless the message says otherwise.</exception>
    public static async Task RunAsync(ServerConfiguration configuration, string command, string subject, Func<Task<string?>> act)
    {
        await using var file = Open(configuration.AuditLogFolder ?? Path.Combine(configuration.DataDirectory, Folder));
        string? reason = null;
        try
        {
            reason = await act();
        }
        catch (Exception e)
        {
            reason = e.Message;
            throw;
        }
        finally
        {
            Append(file, command, subject, reason);
        }
    }

    /// <summary>Who gives the command: the process's user, and the one who called sudo.</summary>
    private static string User() =>
        Environment.GetEnvironmentVariable("SUDO_USER") is { Length: > 0 } caller
            ? $"{Environment.UserName} (sudo by {caller})"
            : Environment.UserName;

    private static FileStream Open(string folder)
    {
        try
        {
            return AuditFile.Open(folder, DateTime.UtcNow);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IOException(
                $"The audit log cannot be written, so nothing was changed: {e.Message} Run the command as the server's user, or give it "
                    + $"another folder with --{KnownSettings.AuditLogFolder}.",
                e
            );
        }
    }

    private static void Append(FileStream file, string command, string subject, string? reason)
    {
        var entry = new AuditEntry
        {
            Kind = AuditKind.Act,
            User = User(),
            Command = command,
            Subject = subject,
            Reason = reason,
        };
        try
        {
            AuditFile.Append(file, [AuditLine.Of(DateTimeOffset.UtcNow, entry, isAct: true)]);
        }
        catch (IOException e)
        {
            throw new IOException($"The command was carried out, and its line of the audit log could not be written: {e.Message}", e);
        }
    }
}
