using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Who did what, as the audit log has it.</summary>
public sealed class AuditLogTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-audit-").FullName;
    private readonly KnownClients _clients = new();
    private readonly ManualClock _clock = new();

    public void Dispose()
    {
        _clients.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Administrative_acts_and_refusals_have_a_line_and_reads_have_none()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var oper = _clients.Add("operator", Clearance.Operator);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        await using (scene.State.Audit = new AuditLog(_folder, null, _clock))
        {
            await scene.RequestAsync("GET", "/databases/db/stats", certificate: reader);
            await scene.RequestAsync("GET", "/databases/db/admin/record", certificate: oper);
            await scene.RequestAsync("POST", "/admin/databases/disable", body: """{"DatabaseNames":["db","dx"]}""", certificate: oper);
            await scene.RequestAsync("PUT", "/admin/databases", "?name=new", body: "{", certificate: oper);
            await scene.RequestAsync("PUT", "/databases/db/docs", "?id=a", body: "{}", certificate: reader);
            await scene.RequestAsync("GET", "/databases", certificate: null);
        }

        var lines = Lines();
        Assert.Equal(["Act", "Act", "Refusal", "Refusal"], lines.Select(line => line.GetProperty("Kind").GetString()));
        Assert.Equal("operator", lines[0].GetProperty("Client").GetString());
        Assert.Equal(oper.Thumbprint, lines[0].GetProperty("Thumbprint").GetString());
        Assert.Equal("db, dx", lines[0].GetProperty("Subject").GetString());
        Assert.Equal(200, lines[0].GetProperty("Status").GetInt32());
        Assert.Equal(("?name=new", 400), (lines[1].GetProperty("Query").GetString(), lines[1].GetProperty("Status").GetInt32()));
        Assert.Equal(("reader", 403), (lines[2].GetProperty("Client").GetString(), lines[2].GetProperty("Status").GetInt32()));
        Assert.Contains("ReadWrite", lines[2].GetProperty("Reason").GetString(), StringComparison.Ordinal);
        Assert.False(lines[3].TryGetProperty("Client", out _));
    }

    [Fact]
    public async Task An_act_inside_a_multi_get_is_refused_and_has_a_line_of_its_own()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var admin = _clients.Add("admin", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        await using (scene.State.Audit = new AuditLog(_folder, null, _clock))
            await scene.RequestAsync(
                "POST",
                "/databases/db/multi_get",
                body: """{"Requests":[{"Url":"/databases/db/admin/indexes/stop","Method":"POST"}]}""",
                certificate: admin
            );

        var line = Assert.Single(Lines());
        Assert.Equal("/databases/db/admin/indexes/stop", line.GetProperty("Path").GetString());
        Assert.Equal(400, line.GetProperty("Status").GetInt32());
    }

    [Fact]
    public async Task A_refusal_inside_a_multi_get_has_a_line_also_where_its_query_has_no_question_mark()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        await using (scene.State.Audit = new AuditLog(_folder, null, _clock))
            await scene.RequestAsync(
                "POST",
                "/databases/db/multi_get",
                body: """{"Requests":[{"Url":"/databases/other/docs","Query":"id=a"},{"Url":"/databases/db/docs","Query":"id=a"}]}""",
                certificate: reader
            );

        var line = Assert.Single(Lines());
        Assert.Equal(("Refusal", "?id=a"), (line.GetProperty("Kind").GetString(), line.GetProperty("Query").GetString()));
    }

    [Fact]
    public async Task A_flood_of_refusals_is_counted_and_does_not_fill_the_disk()
    {
        await using (var log = new AuditLog(_folder, null, _clock))
        {
            for (var i = 0; i < AuditLimits.MaxUnknownRefusalsPerMinute + 1000; i++)
                log.Add(new AuditEntry { Kind = AuditKind.Refusal, Path = new string('x', 100_000) });
            log.Add(new AuditEntry { Kind = AuditKind.Act, Path = "/act" });
            _clock.Advance(TimeSpan.FromMinutes(1));
            log.Add(new AuditEntry { Kind = AuditKind.Refusal });
        }

        var lines = Lines();
        Assert.Equal(AuditLimits.MaxUnknownRefusalsPerMinute + 1, lines.Count(line => line.GetProperty("Kind").GetString() == "Refusal"));
        Assert.Contains(lines, line => line.GetProperty("Kind").GetString() == "Act");
        var omitted = Assert.Single(lines, line => line.GetProperty("Kind").GetString() == "Omitted");
        Assert.Equal(1000, omitted.GetProperty("Count").GetInt64());
        Assert.All(lines, line => Assert.True(line.GetRawText().Length < 2 * AuditLimits.MaxText));
    }

    [Fact]
    public async Task Refusals_of_unknown_clients_take_no_line_of_a_known_clients_and_the_other_way_round()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var stranger = _clients.Unknown("stranger");
        await using (scene.State.Audit = new AuditLog(_folder, null, _clock))
        {
            for (var i = 0; i < AuditLimits.MaxUnknownRefusalsPerMinute + 7; i++)
                await scene.RequestAsync("GET", "/databases", certificate: stranger);
            for (var i = 0; i < AuditLimits.MaxRefusalsPerMinute + 5; i++)
                await scene.RequestAsync("GET", "/databases/other/stats", certificate: reader);
            _clock.Advance(TimeSpan.FromMinutes(1));
            await scene.RequestAsync("GET", "/databases", certificate: stranger);
        }

        var lines = Lines();
        Assert.Equal(AuditLimits.MaxRefusalsPerMinute, lines.Count(line => line.TryGetProperty("Client", out _)));
        var unknown = lines.Where(line => line.GetProperty("Kind").GetString() == "Refusal" && !line.TryGetProperty("Client", out _));
        Assert.Equal(AuditLimits.MaxUnknownRefusalsPerMinute + 1, unknown.Count());
        var omitted = lines.Where(line => line.GetProperty("Kind").GetString() == "Omitted");
        Assert.Equal(
            [(5, "Refusals of known clients, and what found no place."), (7, "Refusals of unknown clients.")],
            omitted.Select(line => (line.GetProperty("Count").GetInt32(), line.GetProperty("Reason").GetString()!))
        );
    }

    [Fact]
    public async Task Each_day_has_a_file_and_nothing_that_a_client_sends_makes_a_second_line()
    {
        await using (var log = new AuditLog(_folder, null, _clock))
        {
            log.Add(new AuditEntry { Kind = AuditKind.Refusal, Path = "/a\n{\"Kind\":\"Act\"}\r\u2028" });
            _clock.Advance(TimeSpan.FromDays(1));
            log.Add(new AuditEntry { Kind = AuditKind.Refusal });
        }

        var files = Directory.GetFiles(_folder);
        Assert.Equal(2, files.Length);
        Assert.All(files, file => Assert.Single(File.ReadAllLines(file)));
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_raises_an_alert()
    {
        var file = Path.Combine(_folder, "file");
        await File.WriteAllTextAsync(file, "");
        var alerts = new ServerAlerts();
        await using (var log = new AuditLog(Path.Combine(file, "below"), alerts, _clock))
            log.Add(new AuditEntry { Kind = AuditKind.Act });

        Assert.Equal("audit", Assert.Single(alerts.All).Source);
    }

    [Fact]
    public async Task Lines_that_the_file_does_not_take_wait_for_it_in_their_order_and_none_is_lost()
    {
        var below = Path.Combine(_folder, "below");
        await File.WriteAllTextAsync(below, "");
        var alerts = new ServerAlerts();
        await using (var log = new AuditLog(below, alerts, _clock))
        {
            for (var i = 0; i < 10; i++)
                log.Add(new AuditEntry { Kind = i % 2 == 0 ? AuditKind.Act : AuditKind.Refusal, Path = $"/{i}" });
            await Eventually.IsAsync(() => alerts.All.Count == 1);
            File.Delete(below);
            await Eventually.IsAsync(() => alerts.All.Count == 0);
            log.Add(new AuditEntry { Kind = AuditKind.Act, Path = "/10" });
        }

        var lines = Directory.GetFiles(below).SelectMany(File.ReadAllLines).Select(line => JsonDocument.Parse(line).RootElement);
        Assert.Equal(Enumerable.Range(0, 11).Select(i => $"/{i}"), lines.Select(line => line.GetProperty("Path").GetString()));
    }

    /// <summary>An act whose line found no place was carried out, and only counted.</summary>
    [Fact]
    public async Task An_act_that_could_not_be_told_is_refused_and_changes_nothing_until_the_log_can_be_written()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        scene.State.SetUrl("https://127.0.0.1:1");
        var oper = _clients.Add("operator", Clearance.Operator);
        var stranger = _clients.Unknown("stranger");
        var below = Path.Combine(_folder, "below");
        await File.WriteAllTextAsync(below, "");
        await using (scene.State.Audit = new AuditLog(below, null, _clock))
        {
            for (var i = 0; i < AuditLimits.MaxWaitingActs; i++)
                Assert.Equal(200, (await SetDisabledAsync(scene, oper)).Status);

            var refused = await CreateAsync(scene, oper);
            Assert.Equal(503, refused.Status);
            Assert.True(refused.Headers.ContainsKey("Retry-After"));
            Assert.Contains("nothing was changed", refused.Text, StringComparison.Ordinal);
            Assert.Null(scene.State.Databases.Record("new"));
            // Only administration waits.
            Assert.Equal(200, (await scene.RequestAsync("GET", "/databases", certificate: oper)).Status);
            Assert.Equal(201, (await scene.RequestAsync("PUT", "/databases/db/docs", "?id=a", "{}", certificate: oper)).Status);
            Assert.Equal(403, (await scene.RequestAsync("GET", "/databases", certificate: stranger)).Status);

            File.Delete(below);
            await Eventually.IsAsync(async () => (await CreateAsync(scene, oper)).Status == 201);
        }

        var kinds = Directory.GetFiles(below).SelectMany(File.ReadAllLines).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(AuditLimits.MaxWaitingActs + 1, kinds.Count(line => line.GetProperty("Kind").GetString() == "Act"));
        Assert.Equal(1, kinds.Count(line => line.GetProperty("Kind").GetString() == "Refusal"));

        Task<ServedAnswer> SetDisabledAsync(ServerScene scene, X509Certificate2 oper) =>
            scene.RequestAsync("POST", "/admin/databases/enable", body: """{"DatabaseNames":["db"]}""", certificate: oper);

        Task<ServedAnswer> CreateAsync(ServerScene scene, X509Certificate2 oper) =>
            scene.RequestAsync("PUT", "/admin/databases", "?name=new", """{"DatabaseName":"new"}""", certificate: oper);
    }

    [Fact]
    public async Task However_many_refusals_wait_for_the_file_an_act_finds_its_place()
    {
        var below = Path.Combine(_folder, "below");
        await File.WriteAllTextAsync(below, "");
        await using var log = new AuditLog(below, null, _clock);
        for (var minute = 0; minute < 2 * AuditLimits.MaxWaiting / AuditLimits.MaxRefusalsPerMinute; minute++)
        {
            for (var i = 0; i < AuditLimits.MaxRefusalsPerMinute; i++)
                log.Add(new AuditEntry { Kind = AuditKind.Refusal, Client = "known" });
            _clock.Advance(TimeSpan.FromMinutes(1));
        }

        for (var i = 0; i < AuditLimits.MaxWaitingActs; i++)
            log.TakePlace();
        Assert.Throws<AuditFullException>(log.TakePlace);
        File.Delete(below);
    }

    private List<JsonElement> Lines() =>
        [.. Directory.GetFiles(_folder).Order().SelectMany(File.ReadAllLines).Select(line => JsonDocument.Parse(line).RootElement)];
}
