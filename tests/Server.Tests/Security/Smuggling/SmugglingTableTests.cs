using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Security.Tls;
using Xunit.Abstractions;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>
/// Requests that name another database wherever a request can name one, sent over TLS by clients with Read, ReadWrite and Admin of their
/// own database alone. Two servers get the same requests: one has the other database, with one of everything in it, the other has none.
/// Their answers must be the same, and nothing of the other database may be read or changed.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class SmugglingTableTests(ITestOutputHelper output) : IDisposable
{
    private const string AuthorizationException = "Raven.Client.Exceptions.Security.AuthorizationException";

    /// <summary>A patch that fails of itself is answered with 500.</summary>
    private const string ScriptException = "Raven.Client.Exceptions.Documents.Patching.JavaScriptException";

    private static readonly DatabaseRight[] s_rights = [DatabaseRight.Read, DatabaseRight.ReadWrite, DatabaseRight.Admin];

    private readonly KnownClients _clients = new();
    private readonly CertificateFolder _folder = new();

    public void Dispose()
    {
        _clients.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task No_request_reads_changes_or_finds_out_about_a_database_that_its_client_has_no_right_to()
    {
        using var made = _folder.Make();
        _folder.WritePfx(made);
        using var ofOperator = _folder.Make("operator");
        _clients.Set(ofOperator, "operator", Clearance.Operator);
        await using var with = await SmugglingScene.OpenAsync(_clients, ofOperator, _folder, hasOther: true);
        await using var without = await SmugglingScene.OpenAsync(_clients, ofOperator, _folder, hasOther: false);
        var other = await with.OtherAsync();
        Assert.Contains(SmugglingScene.Marker, other, StringComparison.Ordinal);

        var table = SmuggledRequests.ByHand().Concat(SmuggledRequests.ByRoute(Routes.All())).ToList();
        var wrong = new List<string>();
        var sent = 0;
        foreach (var right in s_rights)
        {
            using var certificate = _folder.Make($"a client with {right}");
            _clients.Set(certificate, $"a client with {right}", Clearance.ValidUser, ("db", right));
            await using var one = with.Client(certificate);
            await using var two = without.Client(certificate);
            foreach (var row in table)
            {
                sent++;
                var isAllowed = row.Needs <= right;
                var answer = await one.SendAsync(row.Wire(with.OtherId));
                var same = await two.SendAsync(row.Wire(without.OtherId));
                var findings = new List<string?>
                {
                    isAllowed ? Unexpected(row, answer)
                    : answer.Status == 403 ? null
                    : $"is answered {answer.Status}, and needs {row.Needs}",
                    Difference("tells whether the database exists", with.Comparable(answer), without.Comparable(same)),
                    (answer.Head + answer.Body).Contains(SmugglingScene.Marker, StringComparison.OrdinalIgnoreCase)
                        ? $"reads: {answer.Body}"
                        : null,
                };
                if (isAllowed && row.Expected == SmuggledOutcome.AsOwn)
                {
                    var own = with.Comparable(await one.SendAsync(row.WithOwn().Wire(with.OtherId)));
                    await two.SendAsync(row.WithOwn().Wire(without.OtherId));
                    findings.Add(Difference("is not answered as its own", SmuggledRequest.Own(with.Comparable(answer)), own));
                }
                if (await with.OtherAsync() is var now && now != other)
                {
                    findings.Add($"changes it:\n{now}");
                    other = now;
                }
                wrong.AddRange(findings.Where(finding => finding is not null).Select(finding => $"With {right}, {row}\n  {finding}"));
            }
        }

        output.WriteLine($"{table.Count} rows, {s_rights.Length} rights, {sent} requests to each of two servers");
        Assert.True(wrong.Count == 0, $"{wrong.Count} of {sent}:\n{string.Join('\n', wrong.Take(40))}");
    }

    /// <summary>Null for what the row expects.</summary>
    private static string? Unexpected(SmuggledRequest row, WireAnswer answer) =>
        row.Expected switch
        {
            SmuggledOutcome.Refused when answer.Status != 403 => $"is answered {answer.Status} {answer.Body} instead of refused",
            SmuggledOutcome.Refused when answer.Body.Length > 0 && TypeOf(answer) != AuthorizationException =>
                $"is refused as {answer.Body}",
            SmuggledOutcome.Status when answer.Status != row.Status => $"is answered {answer.Status} {answer.Body} instead of {row.Status}",
            SmuggledOutcome.Parts when answer.Status != 200 => $"is answered {answer.Status} {answer.Body}",
            SmuggledOutcome.Parts when !StatusesOf(answer).All(status => status == row.Status) =>
                $"has parts with the statuses {string.Join(", ", StatusesOf(answer))} instead of {row.Status}",
            SmuggledOutcome.Anything when answer.Status >= 500 && answer.Status != 501 && TypeOf(answer) != ScriptException =>
                $"is answered {answer.Status} {answer.Body}",
            _ => null,
        };

    /// <summary>Where two answers begin to differ; null where they do not.</summary>
    private static string? Difference(string what, string one, string other)
    {
        const int Shown = 200;
        if (one == other)
            return null;
        var at = one.Zip(other).TakeWhile(pair => pair.First == pair.Second).Count();
        return $"{what}: …{Around(one)}… against …{Around(other)}…";

        string Around(string text) => text[Math.Max(0, at - Shown)..Math.Min(text.Length, at + Shown)].ReplaceLineEndings(" ");
    }

    private static string? TypeOf(WireAnswer answer) => JsonDocument.Parse(answer.Body).RootElement.GetProperty("Type").GetString();

    private static List<int> StatusesOf(WireAnswer answer) =>
        [
            .. JsonDocument
                .Parse(answer.Body)
                .RootElement.GetProperty("Results")
                .EnumerateArray()
                .Select(one => one.GetProperty("StatusCode").GetInt32()),
        ];
}
