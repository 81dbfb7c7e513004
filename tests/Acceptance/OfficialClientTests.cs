using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>The official npm client, unmodified, against a server process on the disk. What is asserted stands in the scripts.</summary>
public sealed class OfficialClientTests : IAsyncLifetime
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(10);

    private ServerUnderTest _server = null!;

    public async Task InitializeAsync() => _server = await ServerUnderTest.StartAsync();

    public async Task DisposeAsync()
    {
        try
        {
            Assert.Equal(0, await _server.StopAsync());
        }
        finally
        {
            await _server.DisposeAsync();
        }
    }

    [Fact]
    public Task Sessions_store_load_include_change_and_delete() => RunAsync("sessions.mjs");

    [Fact]
    public Task Who_comes_second_gets_a_ConcurrencyException_and_nothing_of_the_batch_is_kept() => RunAsync("concurrency.mjs");

    [Fact]
    public Task Ids_come_from_HiLo_the_server_and_identities() => RunAsync("ids.mjs");

    [Fact]
    public Task Databases_are_created_listed_disabled_under_load_enabled_and_deleted() => RunAsync("databases.mjs");

    [Fact]
    public Task Lazy_operations_go_in_one_request() => RunAsync("lazy.mjs");

    [Fact]
    public Task Queries_that_need_no_index_are_answered_in_pages_with_includes() => RunAsync("queries.mjs");

    [Fact]
    public Task Queries_by_fields_find_their_index_or_make_it() => RunAsync("index-queries.mjs");

    [Fact]
    public Task What_a_session_offers_beside_conditions_works_and_names_need_no_quotes() => RunAsync("query-sessions.mjs");

    /// <summary>Half an hour off the hour, and behind UTC.</summary>
    [Theory]
    [InlineData("UTC")]
    [InlineData("Asia/Kolkata")]
    [InlineData("America/New_York")]
    public Task Dates_are_found_as_points_in_time_in_every_way_in_which_the_client_stores_them(string zone) =>
        NodeScript.RunAsync("dates.mjs", _server.Url, Timeout, new Dictionary<string, string> { ["TZ"] = zone });

    [Fact]
    public Task Bulk_insert_takes_heartbeats_compression_and_abort() => RunAsync("bulk-insert.mjs");

    [Fact]
    public Task All_places_of_the_world_are_loaded_read_back_streamed_and_edited() => RunAsync("cities.mjs");

    [Fact]
    public Task Connection_strings_and_queue_etl_tasks_are_put_looked_at_switched_and_removed() => RunAsync("etl.mjs");

    [Fact]
    public Task Documents_are_patched_one_by_one_in_batches_and_by_query() => RunAsync("patching.mjs");

    [Fact]
    public Task Changes_of_documents_operations_and_indexes_are_told_and_cached_answers_become_fresh() => RunAsync("changes.mjs");

    [Fact]
    public Task Documents_expire_and_are_refreshed_as_configured() => RunAsync("expiration.mjs");

    [Fact]
    public Task Indexes_are_listed_measured_paused_disabled_reset_and_deleted() => RunAsync("indexes.mjs");

    [Fact]
    public Task What_the_server_cannot_do_or_has_no_longer_is_an_error_that_says_so() => RunAsync("refusals.mjs");

    private Task<string> RunAsync(string script) => NodeScript.RunAsync(script, _server.Url, Timeout);
}
